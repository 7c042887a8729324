import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentDefinition } from '../config/agent-file-schema.ts';
import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Tool } from '../tools/tool.ts';

/**
 * Export of a module that an agent file names in `tools.modules`: a tool, a list of tools, or a function that returns either, such as
 * one that connects to an MCP server.
 */
export type ToolModule =
  | Tool
  | readonly Tool[]
  | ((place: ToolModulePlace) => Tool | readonly Tool[] | Promise<Tool | readonly Tool[]>);

/** The agent for which a module makes its tools. */
export interface ToolModulePlace {
  /** Absolute path of the project. */
  readonly directory: string;
  /** Aborted when the agent is closed: the time to close connections. */
  readonly signal: AbortSignal;
}

/**
 * Loads the tools of the modules that a definition names. Relative paths are resolved against `directory`.
 *
 * @throws TroupeError `invalid-agent-file` where a module is missing or cannot be loaded, has no such export, or where this is not a tool.
 */
export async function loadToolModules(
  { name: agent, tools }: AgentDefinition,
  place: ToolModulePlace,
): Promise<readonly Tool[]> {
  const loaded = await Promise.all(
    (tools?.modules ?? []).map((path) => loadToolModule(path, { ...place, agent })),
  );
  return loaded.flat();
}

async function loadToolModule(
  text: string,
  { agent, ...place }: ToolModulePlace & { readonly agent: string },
): Promise<readonly Tool[]> {
  const { path, name } = parseModuleName(text);
  const file = resolve(place.directory, path);
  const fail = (why: string, cause?: unknown) => {
    const message = `The agent ${quote(agent)} names the module ${file} in "tools.modules", ${why}`;
    return new TroupeError({ code: 'invalid-agent-file', message, cause });
  };
  if (!existsSync(file)) throw fail('which does not exist. The path is relative to the agent file.');
  const exports = await importModule(file).catch((error: unknown) => {
    throw fail(`which cannot be loaded: ${toErrorText(error)}`, error);
  });
  if (!Object.hasOwn(exports, name)) throw fail(describeMissing(name, Object.keys(exports)));
  const made = await toExported(exports[name], place).catch((error: unknown) => {
    throw fail(`whose export ${quote(name)} has failed: ${toErrorText(error)}`, error);
  });
  const tools = Array.isArray(made) ? (made as readonly unknown[]) : [made];
  const wrong = tools.find((tool) => !isTool(tool));
  if (wrong !== undefined) throw fail(`whose export ${quote(name)} ${describeWrong(wrong)}`);
  return tools as readonly Tool[];
}

/** Splits at the last `#`, since a folder may have one in its name. */
function parseModuleName(text: string): { readonly path: string; readonly name: string } {
  const hash = text.lastIndexOf('#');
  return hash === -1
    ? { path: text, name: 'default' }
    : { path: text.slice(0, hash), name: text.slice(hash + 1) };
}

/** Resolves a module that an agent file in `folder` names. */
export function resolveModule(text: string, folder: string): string {
  const { path, name } = parseModuleName(text);
  return `${resolve(folder, path)}#${name}`;
}

function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  // A bundler leaves it alone: the file is the user's, and known when it is loaded.
  return import(/* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(file).href);
}

async function toExported(given: unknown, place: ToolModulePlace): Promise<unknown> {
  return typeof given === 'function' ? given(place) : given;
}

function describeMissing(name: string, names: readonly string[]): string {
  if (names.length === 0) return 'which exports nothing.';
  const meant = nearest(name, names);
  const hint = meant === null ? `Name one after "#": ${names.join(', ')}.` : `Did you mean ${quote(meant)}?`;
  return `which has no export ${quote(name)}. ${hint}`;
}

function describeWrong(given: unknown): string {
  const isOfAiSdk = typeof given === 'object' && given !== null && Object.values(given).some(isAiSdkTool);
  if (isOfAiSdk || isAiSdkTool(given))
    return 'has tools of the AI SDK; convert them with "await fromAiSdkTools({ … })".';
  const shown = given === null ? 'null' : `a value of type ${typeof given}`;
  return `has ${shown} in the place of a tool; make tools with "defineTool".`;
}

function isAiSdkTool(given: unknown): boolean {
  return typeof given === 'object' && given !== null && 'inputSchema' in given && 'execute' in given;
}

function isTool(given: unknown): given is Tool {
  if (typeof given !== 'object' || given === null) return false;
  const { name, description, permissions, prepare } = given as Partial<Tool>;
  return (
    typeof name === 'string' &&
    typeof description === 'string' &&
    Array.isArray(permissions) &&
    typeof prepare === 'function'
  );
}
