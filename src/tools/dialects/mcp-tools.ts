import type { Permission } from '../../policy/permission.ts';
import { toInputSchema } from '../input-schema.ts';
import type { Tool } from '../tool.ts';

/** A tool as an MCP server lists it. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: { readonly type: 'object' } & Readonly<Record<string, unknown>>;
  /** What a client may show, and rely on for nothing. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export function toMcpTools(tools: readonly Tool[]): readonly McpTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title ?? toTitle(tool.name),
    description: tool.description,
    inputSchema: { type: 'object', ...toInputSchema(tool) },
    annotations: toAnnotations(tool.permissions),
  }));
}

const reading: readonly Permission[] = ['status', 'output', 'list'];

/** A command may do anything, and so may what is written to one; a second kill changes nothing. */
function toAnnotations(permissions: readonly Permission[]): McpTool['annotations'] {
  const needs = (permission: Permission) => permissions.includes(permission);
  const isReading = permissions.every((permission) => reading.includes(permission));
  return {
    readOnlyHint: isReading,
    destructiveHint: !isReading && !permissions.every((permission) => permission === 'other'),
    idempotentHint: isReading || permissions.every((permission) => permission === 'kill'),
    openWorldHint: needs('start') || needs('write') || needs('keys') || needs('other'),
  };
}

/** `run_command` is `Run command`. */
function toTitle(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
