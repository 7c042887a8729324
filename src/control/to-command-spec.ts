import type { CommandSpec } from '../config/process-spec.ts';
import { terminalVariables } from '../spawn/environment.ts';

/** Variables that a hint sets: what a client happens to have there does not undo it. */
const hintVariables = {
  pager: ['PAGER', 'GIT_PAGER'],
  gitPrompt: ['GIT_TERMINAL_PROMPT'],
  term: ['TERM'],
} as const;

/**
 * What a client asks to start. With `env` the process has that environment instead of the supervisor's; names that no process is to have
 * stay out of it, and hints are put on top, as if the supervisor had been started there. Of the client's terminal one with its own gets nothing.
 */
export function toCommandSpec(request: {
  spec: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string>> | undefined;
  isRedacted: (name: string) => boolean;
}): CommandSpec {
  const { spec, env, isRedacted } = request;
  // What is wrong in it is told by the start, with the option's name.
  const given = withExpression(spec) as CommandSpec;
  if (env === undefined) return given;
  const hinted = new Set<string>(
    Object.entries(hintVariables).flatMap(([hint, names]) =>
      given.hints?.[hint as keyof typeof hintVariables] === false ? [] : names,
    ),
  );
  const isLeftOut = (name: string) =>
    hinted.has(name) || (given.interactive === true && terminalVariables.has(name));
  const inherited: Record<string, string | null> = {};
  for (const name of Object.keys(process.env)) if (!(name in env) && !isLeftOut(name)) inherited[name] = null;
  for (const [name, value] of Object.entries(env)) {
    if (isRedacted(name)) inherited[name] = null;
    else if (!isLeftOut(name)) inherited[name] = value;
  }
  return { ...given, env: { ...inherited, ...given.env } };
}

/** JSON has no regular expressions. */
function withExpression(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const ready = spec['ready'] as { line?: unknown } | null | undefined;
  const line = ready?.line as { source?: unknown; flags?: unknown } | null | undefined;
  if (typeof line !== 'object' || typeof line?.source !== 'string') return spec;
  const flags = typeof line.flags === 'string' ? line.flags : '';
  return { ...spec, ready: { ...ready, line: toExpression(line.source, flags) } };
}

/** One that is none stays what it was, and is refused with the value. */
function toExpression(source: string, flags: string): unknown {
  try {
    return new RegExp(source, flags);
  } catch {
    return { source, flags };
  }
}
