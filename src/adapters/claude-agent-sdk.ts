import { type Tool as ListedTool, Server } from '@modelcontextprotocol/server';
import { toMcpTools } from '../tools/dialects/mcp-tools.ts';
import type { ToolHost } from '../tools/tool-host.ts';

const NAME = 'troupe';
const PREFIX = `mcp__${NAME}__`;

/** Input of a hook, as far as the adapter reads it. */
export interface ClaudeHookInput {
  readonly hook_event_name: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  /** Set inside a subagent. */
  readonly agent_id?: string;
}

/** Hook of the Claude Agent SDK. */
export interface ClaudeHook {
  hooks: ((input: ClaudeHookInput, toolUseId: string | undefined) => Promise<ClaudeHookOutput>)[];
}

/** Answer of a hook. */
export interface ClaudeHookOutput {
  hookSpecificOutput?: never;
}

/** Options of one `query` of the Claude Agent SDK, to be spread into its own. */
export interface ClaudeQueryParts {
  /** The tools, as a server of the Model Context Protocol inside this program. */
  readonly mcpServers: { readonly [NAME]: { type: 'sdk'; name: string; instance: never } };
  /** `PreToolUse` asks the policy; the others carry notices into the next request. Add hooks of your own to these lists. */
  readonly hooks: {
    readonly PreToolUse: ClaudeHook[];
    readonly UserPromptSubmit: ClaudeHook[];
    readonly PostToolBatch: ClaudeHook[];
    readonly Stop: ClaudeHook[];
  };
}

/**
 * Connects one `query` of the Claude Agent SDK with a host: its tools, the policy as permission decisions, and notices as context of the
 * next request. The end of a background process enters with the results of a step; after the model's last answer it continues the query.
 * Notices from before a prompt enter with the prompt. A notice is confirmed once the model has replied to it; otherwise the next query
 * repeats it. Questions of the policy go to your `canUseTool`; without one they are denied.
 *
 * @example
 * ```ts
 * for await (const message of query({ prompt, options: { model, ...createClaudeQueryParts(host) } })) show(message);
 * ```
 */
export function createClaudeQueryParts(host: ToolHost): ClaudeQueryParts {
  let told: readonly string[] = [];
  const confirm = () => {
    host.delivered(told);
    told = [];
  };
  const tell: ClaudeHook['hooks'][number] = async ({ hook_event_name: hookEventName, agent_id: agent }) => {
    if (agent !== undefined) return {};
    // The model has replied since the last notice, except where a new prompt follows a query that was interrupted.
    if (hookEventName !== 'UserPromptSubmit') confirm();
    const notice = host.take();
    if (notice === null) return {};
    told = notice.ids;
    return toOutput({ hookEventName, additionalContext: notice.text });
  };
  const decide: ClaudeHook['hooks'][number] = async ({ tool_name = '', tool_input: input }, id) => {
    if (!tool_name.startsWith(PREFIX)) return {};
    const decision = await host.decide({ id, name: tool_name.slice(PREFIX.length), input });
    const reason =
      decision.type === 'ask' ? decision.question.question : decision.type === 'deny' && decision.reason;
    return toOutput({
      hookEventName: 'PreToolUse',
      permissionDecision: decision.type,
      ...(reason !== false && { permissionDecisionReason: reason }),
    });
  };
  return {
    mcpServers: { [NAME]: { type: 'sdk', name: NAME, instance: createServer(host) as never } },
    hooks: {
      PreToolUse: [{ hooks: [decide] }],
      UserPromptSubmit: [{ hooks: [tell] }],
      PostToolBatch: [{ hooks: [tell] }],
      Stop: [{ hooks: [tell] }],
    },
  };
}

function toOutput(output: object): ClaudeHookOutput {
  return { hookSpecificOutput: output as never };
}

function createServer(host: ToolHost): Server {
  const server = new Server({ name: NAME, version: '0' }, { capabilities: { tools: {} } });
  // Otherwise the model has to search for them.
  const shown = { _meta: { 'anthropic/alwaysLoad': true } };
  server.setRequestHandler('tools/list', () => ({
    tools: toMcpTools(host.tools).map(
      ({ outputSchema: _, ...tool }) => ({ ...tool, ...shown }) as ListedTool,
    ),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const request = { id: String(mcpReq.id), name: params.name, input: params.arguments ?? {} };
    // A call arrives only once it is approved.
    const { text, answer } = await host.call(request, { signal: mcpReq.signal, ask: async () => true });
    return { content: [{ type: 'text', text }], isError: !answer.ok };
  });
  return server;
}
