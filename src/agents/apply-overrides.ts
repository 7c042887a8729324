import type { AgentDefinition } from '../config/agent-file.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { checkDefinition } from './agent-definition.ts';

/**
 * Lays settings of the command line over a definition: `--supervisor.default_timeout=60`. Lists are JSON or words with commas.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function applyOverrides(definition: AgentDefinition, flags: readonly string[]): AgentDefinition {
  return flags.reduce(applyOverride, definition);
}

function applyOverride(definition: AgentDefinition, flag: string): AgentDefinition {
  const equals = flag.indexOf('=');
  const name = flag.slice(0, equals);
  if (equals < 3 || !flag.startsWith('--')) {
    throw refuse(flag, 'expected --<setting>=<value>, such as --supervisor.default_timeout=60.');
  }
  const path = name.slice(2).split('.');
  const problems: string[] = [];
  for (const value of toCandidates(flag.slice(equals + 1))) {
    const checked = checkDefinition(setAt(definition, { path, value }));
    if (checked.ok) return checked.value;
    problems.push(checked.problems.map(({ text }) => text).join(' '));
  }
  throw refuse(name, problems[0] ?? '');
}

/** What the text may mean; the first that fits the setting is taken. */
function toCandidates(text: string): readonly unknown[] {
  const words = text.split(',').map((word) => word.trim());
  return [...parseJson(text), text, words.filter((word) => word !== '')];
}

function parseJson(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** A copy with another value at that path; what stands in the way is replaced. */
function setAt(target: unknown, { path, value }: { path: readonly string[]; value: unknown }): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const object = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
  const entries = new Map<string, unknown>(Object.entries(object));
  entries.set(key, setAt(entries.get(key), { path: rest, value }));
  return Object.fromEntries(entries);
}

function refuse(flag: string, why: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message: `${quote(flag).slice(1, -1)}: ${why}` });
}
