import { toInputSchema } from '../tools/input-schema.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import { createMessageNotices, type MessageNotice, readMark, toMarkedText } from './message-notices.ts';

export {
  createOpenAiShell,
  type OpenAiShell,
  type OpenAiShellAction,
  type OpenAiShellOutput,
} from './openai-shell.ts';

/** Parts of the OpenAI Agents SDK that the adapter uses. It does not import the SDK. */
export interface OpenAiAgentsParts<AgentTool, Runner extends OpenAiAgentsRunner> {
  /** `tool` of `@openai/agents`. */
  readonly tool: (options: {
    readonly name: string;
    readonly description: string;
    readonly parameters: never;
    readonly strict: false;
    readonly needsApproval: (context: unknown, input: unknown, callId?: string) => Promise<boolean>;
    readonly execute: (
      input: unknown,
      context?: unknown,
      details?: OpenAiAgentsCallDetails,
    ) => Promise<string>;
  }) => AgentTool;
  /** Creates the `Runner` of one run, with the configuration of your choice. */
  readonly runner: () => Runner;
}

/** Details of a call, as far as the adapter reads them. */
export interface OpenAiAgentsCallDetails {
  readonly signal?: AbortSignal | undefined;
  readonly toolCall?: { readonly callId: string } | undefined;
}

/** `Runner` of the SDK, as far as it is used. */
export interface OpenAiAgentsRunner {
  run(agent: never, input: never, options?: never): Promise<unknown>;
  on(event: 'agent_tool_end', listener: () => void): unknown;
}

/** Connection of agents with a host. */
export interface OpenAiAgents<AgentTool, Runner extends OpenAiAgentsRunner> {
  /** Tools for an agent. A question of the policy interrupts the run, like any tool that needs approval. */
  readonly tools: AgentTool[];
  /**
   * Runs an agent like `Runner.run`, with notices. The model is always called with streaming; without `stream: true` the promise resolves at
   * the end of the run.
   */
  readonly run: Runner['run'];
}

/** Item of an input, a history or a session. */
type Item = object;

/** State of a run, as far as it is used. */
interface State {
  readonly history: readonly Item[];
  readonly pendingInput: readonly Item[];
  addInput(items: readonly Item[]): void;
  clearPendingInput(): void;
}

interface Streamed {
  readonly state: State;
  readonly completed: Promise<void>;
  readonly cancelled: boolean;
}

interface RunOptions {
  readonly stream?: boolean;
  readonly session?: { getItems(): Promise<readonly Item[]> };
}

/**
 * Connects agents of the OpenAI Agents SDK with a host: its tools, the policy as approvals, and notices as messages of the user. The end of
 * a background process enters the run before its next request; an undelivered notice enters the next run. The messages stay in the
 * history, the session and the saved state of a run, and prove the delivery: a transcript never gets the same notice twice.
 *
 * @example
 * ```ts
 * const troupe = connectOpenAiAgents(host, { tool, runner: () => new Runner() });
 * const agent = new Agent({ name: 'Builder', tools: troupe.tools });
 * const { finalOutput } = await troupe.run(agent, 'Build.', { session });
 * ```
 */
export function connectOpenAiAgents<AgentTool, Runner extends OpenAiAgentsRunner>(
  host: ToolHost,
  { tool, runner }: OpenAiAgentsParts<AgentTool, Runner>,
): OpenAiAgents<AgentTool, Runner> {
  const notices = createMessageNotices(host);
  const toTool = ({ name, description, inputSchema }: Tool) =>
    tool({
      ...{ name, description, strict: false },
      parameters: toInputSchema({ inputSchema }) as never,
      needsApproval: async (_, input, id) => (await host.decide({ id, name, input })).type === 'ask',
      execute: async (input, _, { signal, toolCall } = {}) => {
        const request = { id: toolCall?.callId, name, input };
        // The SDK makes a call only once it is approved.
        const { text } = await host.call(request, { signal, ask: async () => true });
        return text;
      },
    });
  const stage = (state: State) => {
    const notice = notices.next(state.history.map(toMessage));
    if (notice !== null) stageNotice(state, notice);
  };
  const open = async (input: string | readonly Item[] | State, session: RunOptions['session']) => {
    if (session !== undefined) notices.confirm((await session.getItems()).map(toMessage));
    if (typeof input === 'object' && 'addInput' in input) {
      stage(input);
      return input;
    }
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    const notice = notices.next(items.map(toMessage));
    return notice === null ? input : [...items, toItem(notice)];
  };
  const run = async (agent: unknown, given: string | readonly Item[] | State, options: RunOptions = {}) => {
    const input = await open(given, options.session);
    const running = runner();
    let state = 'addInput' in Object(input) ? (input as State) : null;
    running.on('agent_tool_end', () => {
      if (state !== null) stage(state);
    });
    const streamed = (await running.run(
      agent as never,
      input as never,
      { ...options, stream: true } as never,
    )) as Streamed;
    state = streamed.state;
    const completed = streamed.completed.then(() => {
      if (!streamed.cancelled) notices.confirm(streamed.state.history.map(toMessage));
    });
    if (options.stream !== true) await completed;
    else completed.catch(() => {});
    return streamed;
  };
  return { tools: host.tools.map(toTool), run: run as Runner['run'] };
}

/** Stages a notice for the next request. It replaces an earlier staged notice, which it includes. */
function stageNotice(state: State, notice: MessageNotice): void {
  const before = state.pendingInput;
  try {
    state.addInput([toItem(notice)]);
  } catch {
    // The run makes no further request: the notice enters the next one.
    return;
  }
  const others = before.filter((item) => toMessage(item).id === undefined);
  if (others.length === before.length) return;
  state.clearPendingInput();
  state.addInput([...others, toItem(notice)]);
}

/** Converts a notice to an item. Its text names the completions, because the API accepts no additional fields. */
function toItem(notice: MessageNotice): Item {
  return { role: 'user', content: toMarkedText(notice) };
}

function toMessage(item: Item): { readonly id?: string | undefined } {
  const { role, content } = item as { role?: unknown; content?: unknown };
  if (role !== 'user') return {};
  const parts = Array.isArray(content) ? content : [{ text: content }];
  return readMark(parts.map(({ text }) => text).join(''));
}
