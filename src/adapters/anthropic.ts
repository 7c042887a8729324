import { type AnthropicTool, toAnthropicTools } from '../tools/dialects/function-tools.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import { createMessageNotices, readMark, toMarkedText } from './message-notices.ts';

/** Tool of `toolRunner` of the Anthropic SDK. Described structurally, so that the SDK need not be installed. */
export interface AnthropicRunnableTool extends Omit<AnthropicTool, 'input_schema'> {
  readonly type: 'custom';
  /** JSON Schema. */
  readonly input_schema: { type: 'object'; [key: string]: unknown };
  /** Passes the input on; the tool validates it itself. */
  parse(input: unknown): unknown;
  run(input: unknown, context?: AnthropicCallContext): Promise<string>;
}

/** Context of a call, as far as the adapter reads it. */
export interface AnthropicCallContext {
  readonly toolUse: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/** Reply of the model. */
export interface AnthropicReply {
  readonly role: 'assistant';
  readonly content: readonly unknown[];
  readonly stop_reason: string | null;
}

/** Item that a runner yields: a reply, or with `stream: true` the stream of one. */
export type AnthropicStep = AnthropicReply | { finalMessage(): Promise<AnthropicReply> };

/** Runner of the Anthropic SDK, made by `client.beta.messages.toolRunner()`. */
export interface AnthropicRunner<Step extends AnthropicStep> extends AsyncIterable<Step> {
  readonly params: { readonly messages: readonly unknown[] };
  /** Makes the calls of the last reply, each once. */
  generateToolResponse(): Promise<{ readonly content: string | readonly unknown[] } | null>;
  pushMessages(...messages: never[]): void;
}

/**
 * Returns the tools of a host for `toolRunner`. The runner has no approvals, so the host's `ask` answers the questions of the policy. The
 * runner's abort signal interrupts waiting calls and ends no process.
 */
export function toRunnableTools(host: ToolHost): AnthropicRunnableTool[] {
  return toAnthropicTools(host.tools).map((tool) => ({
    ...tool,
    type: 'custom',
    input_schema: { ...tool.input_schema, type: 'object' },
    parse: (input) => input,
    run: async (input, context) => {
      const request = { id: context?.toolUse.id, name: tool.name, input };
      const { text } = await host.call(request, { signal: context?.signal ?? undefined });
      return text;
    },
  }));
}

/**
 * Iterates over a runner and adds notices to its messages. The end of a background process enters the next request, beside the results of
 * the step; after the model's last answer it continues the run. Notices from before the run enter its first request. A notice is confirmed
 * once the body of the loop has received the reply to it; otherwise the next run repeats it, unless its messages contain it. A body that
 * changes the messages postpones the notice by one step.
 *
 * @example
 * ```ts
 * const runner = client.beta.messages.toolRunner({ model, max_tokens, messages, tools: toRunnableTools(host) });
 * for await (const message of withNotices(host, runner)) console.log(message.content);
 * messages = [...runner.params.messages];
 * ```
 */
export async function* withNotices<Step extends AnthropicStep>(
  host: ToolHost,
  runner: AnthropicRunner<Step>,
): AsyncGenerator<Step, void, undefined> {
  const notices = createMessageNotices(host);
  const seen = () => runner.params.messages.flatMap(toMarks);
  const confirm = () => notices.confirm(seen());
  const tell = (reply: AnthropicReply | null, results: Iterable<unknown> = []) => {
    const notice = notices.next(seen());
    if (notice === null) return;
    const message = { role: 'user', content: [...results, { type: 'text', text: toMarkedText(notice) }] };
    // The runner adds neither the reply nor the results to messages that were changed.
    const messages = reply === null ? [message] : [{ role: reply.role, content: reply.content }, message];
    runner.pushMessages(...(messages as never[]));
  };

  tell(null);
  for await (const step of runner) {
    const count = runner.params.messages.length;
    let reply: AnthropicReply | null = null;
    const replied = toReply(step);
    replied.then((message) => (reply = message)).catch(() => {});
    try {
      yield step;
    } finally {
      if (reply !== null) confirm();
    }
    const message = await replied;
    confirm();
    if (runner.params.messages.length !== count) continue;
    if (message.stop_reason === 'tool_use') tell(message, (await runner.generateToolResponse())?.content);
    else if (message.stop_reason === 'end_turn' || message.stop_reason === 'stop_sequence') tell(message);
  }
  // The limit of requests may have ended the run; the notice is among its messages all the same.
  confirm();
}

/** Returns the ids of the notices in a message. */
function toMarks(message: unknown): ReturnType<typeof readMark>[] {
  const { role, content } = message as { readonly role: string; readonly content: unknown };
  if (role !== 'user' || !Array.isArray(content)) return [];
  return content.flatMap(({ type, text }) => (type === 'text' ? [readMark(text)] : []));
}

async function toReply(step: AnthropicStep): Promise<AnthropicReply> {
  return 'finalMessage' in step ? step.finalMessage() : step;
}
