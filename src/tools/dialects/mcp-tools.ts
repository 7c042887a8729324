import type { Permission } from '../../policy/permission.ts';
import { toInputSchema } from '../input-schema.ts';
import type { JsonSchema } from '../standard-schema.ts';
import type { Tool } from '../tool.ts';

/** Tool as an MCP server lists it. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: { readonly type: 'object' } & Readonly<Record<string, unknown>>;
  /**
   * JSON Schema of the structured content: an answer and its optional notice. Only for tools that declare their
   * output.
   */
  readonly outputSchema?: { readonly type: 'object' } & Readonly<Record<string, unknown>>;
  /** Hints that a client may show but not rely on. */
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
    ...(tool.outputSchema !== undefined && { outputSchema: toOutputSchema(tool.outputSchema) }),
    annotations: toAnnotations(tool.permissions),
  }));
}

function toOutputSchema(data: JsonSchema): NonNullable<McpTool['outputSchema']> {
  return {
    type: 'object',
    properties: {
      ok: { type: 'boolean' },
      data: toPortable(data),
      error: { type: 'string' },
      notice: { type: 'string', description: 'what has happened to other processes meanwhile' },
    },
    required: ['ok'],
  };
}

/** Describes otherwise empty schemas, about which MCP's inspector warns. */
function toPortable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toPortable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    key === 'additionalProperties' && typeof value === 'object' ? true : toPortable(value),
  ]);
  return Object.fromEntries(entries);
}

const reading: readonly Permission[] = ['status', 'output', 'list'];

/** Derives annotations: commands and input to them may do anything; a repeated kill changes nothing. */
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

/** Turns `run_command` into `Run command`. */
function toTitle(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
