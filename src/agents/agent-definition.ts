import { type AgentDefinition, agentFile } from '../config/agent-file.ts';
import { describeProblems, type Problem } from '../config/parse-options.ts';
import type { Checked } from '../config/yaml-text.ts';

/** Checks what a file, or code in place of a file, says of an agent. A model may be given as text; a section may be empty. */
export function checkDefinition(given: unknown): Checked<AgentDefinition> {
  if (!isObject(given)) {
    return {
      ok: false,
      problems: [
        { path: [], text: 'this is no agent; expected "name: …", "model: …" and further settings.' },
      ],
    };
  }
  const input = expand(given);
  const missing = ['name', 'model'].filter((key) => input[key] === undefined);
  const result = agentFile.safeParse(input);
  if (result.success) return { ok: true, value: result.data };
  const others = describeProblems(result.error, { input, schema: agentFile }).filter(
    ({ path }) => path.length !== 1 || !missing.includes(String(path[0])),
  );
  return { ok: false, problems: [...missing.map(toMissing), ...others] };
}

const EXAMPLES: Readonly<Record<string, string>> = {
  name: 'the name of the agent, as its file is called',
  model: 'the name of a model, "scripted", or { provider: openai, name: gpt-5 }',
};

function toMissing(key: string): Problem {
  return { path: [], text: `"${key}" is missing; expected ${EXAMPLES[key]}.` };
}

/** YAML says `null` where a section has nothing but comments in it. */
function expand(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const filled = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    filled.map(([key, value]) => [
      key,
      key === 'model' && typeof value === 'string' ? toModelSettings(value) : value,
    ]),
  );
}

/** `scripted`, `gpt-5`, `anthropic/claude-sonnet-5`. */
function toModelSettings(text: string): Readonly<Record<string, string>> {
  if (text === 'scripted') return { provider: 'scripted' };
  const slash = text.indexOf('/');
  if (slash === -1) return { name: text };
  return { provider: text.slice(0, slash), name: text.slice(slash + 1) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
