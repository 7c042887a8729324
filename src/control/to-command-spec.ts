import type { CommandSpec } from '../config/process-spec.ts';
import { terminalVariables } from '../spawn/environment.ts';

/** Variables set by hints; the client's own values do not override them. */
const hintVariables = {
  pager: ['PAGER', 'GIT_PAGER'],
  gitPrompt: ['GIT_TERMINAL_PROMPT'],
  term: ['TERM'],
} as const;

/**
 * Converts a client's start request. `env` replaces the supervisor's environment, except redacted names; hints are
 * applied on top, as if the supervisor had been started there. A process with a terminal of its own inherits nothing
 * that describes the client's terminal.
 */
export function toCommandSpec(request: {
  spec: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string>> | undefined;
  isRedacted: (name: string) => boolean;
}): CommandSpec {
  const { spec, env, isRedacted } = request;
  // The start validates the spec and names the option.
  const given = withExpression(spec) as unknown as CommandSpec;
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

/** Restores the regular expression, which JSON cannot hold. */
function withExpression(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const ready = spec['ready'] as { line?: unknown } | null | undefined;
  const line = ready?.line as { source?: unknown; flags?: unknown } | null | undefined;
  if (typeof line !== 'object' || typeof line?.source !== 'string') return spec;
  const flags = typeof line.flags === 'string' ? line.flags : '';
  return { ...spec, ready: { ...ready, line: toExpression(line.source, flags) } };
}

/** Compiles the expression. An invalid one is left as it is, so that the start refuses it with its value. */
function toExpression(source: string, flags: string): unknown {
  try {
    return new RegExp(source, flags);
  } catch {
    return { source, flags };
  }
}
