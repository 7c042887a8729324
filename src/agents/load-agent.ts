import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type AgentDefinition, agentName } from '../config/agent-file-schema.ts';
import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { resolveModule } from './load-tool-modules.ts';
import { parseAgentFile } from './parse-agent-file.ts';

const FOLDER = 'agents';
const ENDINGS = ['.yaml', '.yml'];

/** Larger than any agent file. */
const MAX_BYTES = 1024 * 1024;

/** Agent of a project, as listed. */
export interface AgentSummary {
  readonly name: string;
  readonly description: string;
  readonly type: 'interactive' | 'execution';
  readonly version: string | null;
  /** Absolute path. */
  readonly file: string;
  /** Problem of its file, in words; otherwise `null`. */
  readonly error: string | null;
}

/**
 * Reads `agents/<name>.yaml` of the project in `directory`.
 *
 * @throws TroupeError `unknown-agent`, with the existing ones; `invalid-agent-file`, with line and column.
 */
export async function loadAgent(
  name: string,
  { directory }: { directory: string },
): Promise<AgentDefinition> {
  const folder = resolve(directory, FOLDER);
  const names = await listNames(folder);
  const fileName = ENDINGS.map((ending) => `${name}${ending}`).find((each) => names.includes(each));
  if (fileName === undefined || !agentName.safeParse(name).success)
    throw unknownAgent(name, { folder, names });
  return readAgent(join(folder, fileName), { directory });
}

/** Lists the agents of the project in `directory` by name, including those with an invalid file. */
export async function listAgents(directory: string): Promise<readonly AgentSummary[]> {
  const folder = resolve(directory, FOLDER);
  const names = await listNames(folder);
  const files = names.filter((name, index) => toAgentName(names[index - 1] ?? '') !== toAgentName(name));
  return Promise.all(files.map((name) => summarize(join(folder, name), directory)));
}

async function summarize(file: string, directory: string): Promise<AgentSummary> {
  const name = toAgentName(basename(file));
  try {
    const { description = '', type = 'interactive', version = null } = await readAgent(file, { directory });
    return { name, description, type, version, file, error: null };
  } catch (error) {
    return {
      name,
      description: '',
      type: 'interactive',
      version: null,
      file,
      error: toErrorText(error),
    };
  }
}

async function readAgent(file: string, { directory }: { directory: string }): Promise<AgentDefinition> {
  const shown = relative(directory, file);
  const definition = await parseAgentFile(await readText(file, shown), { file: shown });
  const expected = toAgentName(basename(file));
  if (definition.name === expected) return withModulesOf(dirname(file), definition);
  const message = `${shown}: "name" is ${quote(definition.name)}; expected ${quote(expected)}, equal to the file name.`;
  throw new TroupeError({ code: 'invalid-agent-file', message });
}

/** Resolves the modules of its tools against the folder of its file. */
function withModulesOf(folder: string, definition: AgentDefinition): AgentDefinition {
  const { tools } = definition;
  if (tools?.modules === undefined) return definition;
  return {
    ...definition,
    tools: { ...tools, modules: tools.modules.map((text) => resolveModule(text, folder)) },
  };
}

async function readText(file: string, shown: string): Promise<string> {
  const fail = (why: string, cause?: unknown) =>
    new TroupeError({ code: 'invalid-agent-file', message: `${shown} ${why}`, cause });
  let bytes: Buffer;
  try {
    const found = await stat(file);
    if (!found.isFile()) throw fail('is not a file; an agent is one YAML file.');
    if (found.size > MAX_BYTES)
      throw fail(`has ${found.size} bytes; an agent's file has ${MAX_BYTES} at most.`);
    bytes = await readFile(file);
  } catch (error) {
    throw error instanceof TroupeError ? error : fail(`cannot be read: ${toErrorText(error)}.`, error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw fail('is not UTF-8 text; save it as UTF-8.', error);
  }
}

/** Lists the names of possible agent files, sorted. */
async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => ENDINGS.some((ending) => name.endsWith(ending))).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    const message = `${folder} cannot be read: ${toErrorText(error)}.`;
    throw new TroupeError({ code: 'invalid-agent-file', message, cause: error });
  }
}

function unknownAgent(
  name: string,
  { folder, names }: { folder: string; names: readonly string[] },
): TroupeError {
  const agents = [...new Set(names.map(toAgentName))];
  const meant = nearest(name, agents);
  const known =
    agents.length === 0
      ? `There are no agents in ${folder}: write ${name === '' ? '<name>' : 'one'}.yaml there, or make a project with troupe init.`
      : `Agents: ${agents.join(', ')}.`;
  const hint = meant === null ? '' : ` Did you mean ${quote(meant)}?`;
  const message = `Agent ${quote(name)} not found. ${known}${hint}`;
  return new TroupeError({ code: 'unknown-agent', message });
}

function toAgentName(fileName: string): string {
  return fileName.replace(/\.ya?ml$/, '');
}
