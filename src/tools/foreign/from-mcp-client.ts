import { isDeepStrictEqual } from 'node:util';
import type { Duration } from '../../config/duration.ts';
import { mcpClientToolOptions } from '../../config/foreign-tool-options.ts';
import { parseOptions } from '../../config/parse-options.ts';
import type { JsonSchema, StandardResult } from '../standard-schema.ts';
import type { Tool, ToolAnswer } from '../tool.ts';
import {
  checkNames,
  defineForeignTool,
  type ForeignToolOptions,
  toPermission,
  toToolName,
} from './define-foreign-tool.ts';
import { type ContentPart, describeContent, isText } from './describe-content.ts';

/**
 * Client of the Model Context Protocol, such as `Client` of `@modelcontextprotocol/client`, connected to a server. Described structurally, so
 * that the package need not be installed.
 */
export interface McpToolClient {
  listTools(params?: { readonly cursor?: string }): Promise<{
    readonly tools: readonly GivenMcpTool[];
    readonly nextCursor?: string | undefined;
  }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: { signal?: AbortSignal; timeout?: number; resetTimeoutOnProgress?: boolean },
  ): Promise<unknown>;
}

/** Tool as a server lists it. */
export interface GivenMcpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

/** Options of `fromMcpClient`. */
export interface McpClientToolOptions extends ForeignToolOptions {
  /** Time limit of one call; progress that the server reports extends it. Default: the one of the client, 60 s in `@modelcontextprotocol/client`. */
  readonly timeout?: Duration | undefined;
}

/**
 * Returns the tools that the server offers now. A call is cancelled at the server when it is interrupted; an error is the answer. A model gets
 * images, audio and other bytes described in words. What a server says about the effects of its tools (`annotations`) decides nothing:
 * `permission` does.
 *
 * The list is read once. On `notifications/tools/list_changed` call this again and create the conversation or host anew, from its journal or
 * owner; until then a call of a removed tool answers with the error of the server.
 *
 * @throws The error of the client where the server does not answer; TroupeError `invalid-option` where two tools have one name.
 */
export async function fromMcpClient(
  client: McpToolClient,
  options: McpClientToolOptions = {},
): Promise<readonly Tool[]> {
  const {
    timeout: timeoutMs,
    permission,
    prefix,
  } = parseOptions(mcpClientToolOptions, { input: options, name: 'fromMcpClient' });
  const tools = await listTools(client);
  return checkNames(
    tools.map((tool) => toTool(tool, { client, timeoutMs, permission, prefix })),
    'fromMcpClient',
  );
}

async function listTools(client: McpToolClient): Promise<readonly GivenMcpTool[]> {
  let page = await client.listTools();
  const tools = [...page.tools];
  while (page.nextCursor !== undefined) {
    page = await client.listTools({ cursor: page.nextCursor });
    tools.push(...page.tools);
  }
  return tools;
}

function toTool(
  given: GivenMcpTool,
  {
    client,
    timeoutMs,
    permission,
    prefix,
  }: {
    readonly client: McpToolClient;
    readonly timeoutMs: number | undefined;
    readonly permission: ForeignToolOptions['permission'] & {};
    readonly prefix: string | undefined;
  },
): Tool {
  const { name, title, description = title ?? name } = given;
  const inputSchema = given.inputSchema as JsonSchema;
  return defineForeignTool({
    name: toToolName(name, { prefix }),
    title,
    description,
    permission: toPermission(name, { permission }),
    inputSchema,
    validate: (input) => checkRequired(inputSchema, input as Readonly<Record<string, unknown>>),
    execute: async (input, { interrupt }) => {
      const result = await client.callTool(
        { name, arguments: input as Record<string, unknown> },
        {
          signal: interrupt,
          resetTimeoutOnProgress: true,
          ...(timeoutMs !== undefined && { timeout: timeoutMs }),
        },
      );
      return toAnswer(result as McpResult);
    },
  });
}

/** Names missing fields, before a person is asked; the server validates the rest. */
function checkRequired(
  { required }: JsonSchema,
  input: Readonly<Record<string, unknown>>,
): StandardResult<unknown> {
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  const missing = names.filter((name) => !Object.hasOwn(input, name));
  if (missing.length === 0) return { value: input };
  return { issues: missing.map((name) => ({ message: 'is required', path: [name] })) };
}

interface McpResult {
  readonly content?: readonly ContentPart[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

function toAnswer({ content = [], structuredContent, isError }: McpResult): ToolAnswer {
  const text = describeContent(content);
  if (isError === true) {
    const error = text === '' ? 'The tool failed and did not say why.' : text;
    return { ok: false, error, worked: true };
  }
  if (structuredContent === undefined) return { ok: true, data: text };
  const added = content.filter((part) => !repeats(part, structuredContent));
  if (added.length === 0) return { ok: true, data: structuredContent };
  return { ok: true, data: { content: describeContent(added), structured: structuredContent } };
}

/** Servers repeat structured content as text for older clients. */
function repeats(part: ContentPart, structured: unknown): boolean {
  if (!isText(part)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(part['text'] as string), structured);
  } catch {
    return false;
  }
}
