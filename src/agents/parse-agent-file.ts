import { type AgentDefinition, agentFileSchema } from '../config/agent-file-schema.ts';
import { describeProblems, type Problem } from '../config/parse-options.ts';
import { type Checked, parseYaml } from '../config/parse-yaml.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Validates an agent definition from a file or from code. A model may be given as text; a section may be empty. */
export function checkDefinition(given: unknown): Checked<AgentDefinition> {
  if (!isObject(given)) {
    return {
      ok: false,
      problems: [
        { path: [], text: 'this is not an agent; expected "name: …", "model: …" and further settings.' },
      ],
    };
  }
  const input = expand(given);
  const missing = ['name', 'model'].filter((key) => input[key] === undefined);
  const result = agentFileSchema.safeParse(input);
  if (result.success) return { ok: true, value: result.data };
  const others = describeProblems(result.error, { input, schema: agentFileSchema }).filter(
    ({ path }) => path.length !== 1 || !missing.includes(String(path[0])),
  );
  return { ok: false, problems: [...missing.map(toMissing), ...others] };
}

const EXAMPLES: Readonly<Record<string, string>> = {
  name: 'the name of the agent, equal to its file name',
  model: 'the name of a model, "scripted", or { provider: openai, name: gpt-5 }',
};

function toMissing(key: string): Problem {
  return { path: [], text: `"${key}" is missing; expected ${EXAMPLES[key]}.` };
}

/** Drops sections that contain only comments, which YAML reads as `null`. */
function expand(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const filled = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    filled.map(([key, value]) => [
      key,
      key === 'model' && typeof value === 'string' ? toModelSettings(value) : value,
    ]),
  );
}

/** Parses `scripted`, `gpt-5` or `anthropic/claude-sonnet-5`. */
function toModelSettings(text: string): Readonly<Record<string, string>> {
  if (text === 'scripted') return { provider: 'scripted' };
  const slash = text.indexOf('/');
  if (slash === -1) return { name: text };
  return { provider: text.slice(0, slash), name: text.slice(slash + 1) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses the text of an agent file.
 *
 * @throws TroupeError `invalid-agent-file`: one problem per line, with file, line and column.
 */
export function parseAgentFile(text: string, { file }: { file: string }): Promise<AgentDefinition> {
  return parseYaml(text, { file, code: 'invalid-agent-file', check: checkDefinition });
}

/**
 * Applies settings of the command line to a definition: `--supervisor.default_timeout=60`. Lists are JSON or
 * comma-separated.
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

/** Lists possible values of the text; the first that fits the setting is used. */
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

/** Returns a copy with another value at that path, replacing whatever is in the way. */
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
