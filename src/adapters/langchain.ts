import type { PermissionQuestion } from '../policy/authorize.ts';
import { toInputSchema } from '../tools/input-schema.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import { createMessageNotices } from './message-notices.ts';

/** Parts of LangChain and LangGraph that the adapter uses without an import. */
export interface LangChainParts<Tool> {
  /** `tool` of `langchain`. */
  readonly tool: (
    run: (input: unknown, config: LangChainCallConfig) => Promise<string>,
    fields: { readonly name: string; readonly description: string; readonly schema: never },
  ) => Tool;
  /**
   * `interrupt` of `@langchain/langgraph`, which needs a checkpointer: pauses the run with the question of the policy; resume it with `true`,
   * `'always'` or `false`. Default: the host's `ask`.
   */
  readonly interrupt?: (question: PermissionQuestion) => unknown;
}

/** Configuration of a call, as far as the adapter reads it. */
export interface LangChainCallConfig {
  readonly signal?: AbortSignal | undefined;
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
}

/** State of an agent, as far as the middleware reads it. */
export interface LangChainState {
  readonly messages: readonly { readonly id?: string | undefined }[];
}

/** Middleware for `createAgent` of `langchain`. */
export interface LangChainMiddleware<Tool> {
  readonly name: 'troupe';
  readonly tools: readonly Tool[];
  /** Adds the notice of what waits to the messages. */
  readonly beforeModel: (state: LangChainState) => { readonly messages: never[] } | undefined;
  /** Confirms the notices that are in the messages. */
  readonly afterModel: (state: LangChainState) => undefined;
}

/**
 * Connects an agent of LangChain with a host: its tools, and notices as messages before each request to the model. The messages are the
 * proof of delivery: a notice is confirmed once it is among them, also when a run is resumed from a checkpoint, so it is never added twice.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model, middleware: [createLangChainMiddleware(host, { tool })] });
 * ```
 */
export function createLangChainMiddleware<Tool>(
  host: ToolHost,
  { tool, interrupt }: LangChainParts<Tool>,
): LangChainMiddleware<Tool> {
  const notices = createMessageNotices(host);
  const run = async (name: string, input: unknown, { signal, toolCall }: LangChainCallConfig) => {
    const request = { id: toolCall?.id, name, input };
    const decision = interrupt === undefined ? null : await host.decide(request);
    const consent = decision?.type === 'ask' ? interrupt?.(decision.question) : undefined;
    const ask = async () => (consent === 'always' ? consent : consent === true);
    const { text } = await host.call(request, { signal, ...(consent !== undefined && { ask }) });
    return text;
  };
  return {
    name: 'troupe',
    tools: host.tools.map((each) =>
      tool((input, config) => run(each.name, input, config), {
        name: each.name,
        description: each.description,
        schema: toInputSchema(each) as never,
      }),
    ),
    beforeModel: ({ messages }) => {
      const notice = notices.next(messages);
      return notice === null ? undefined : { messages: [notice as never] };
    },
    afterModel: ({ messages }) => {
      notices.confirm(messages);
      return undefined;
    },
  };
}
