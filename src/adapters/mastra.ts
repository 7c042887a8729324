import { toPlainAnswer } from '../tools/answer-text.ts';
import { toInputSchema } from '../tools/input-schema.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import { createMessageNotices } from './message-notices.ts';

export {
  createMastraSandbox,
  type MastraProcessBase,
  type MastraProcessesBase,
  type MastraRetention,
  type MastraSandboxBase,
  type MastraSandboxParts,
} from './mastra-sandbox.ts';
export type { SandboxOptions } from './sandbox-commands.ts';

/** Parts of Mastra that the adapter uses without an import. */
export interface MastraParts<MastraTool> {
  /** `createTool` of `@mastra/core/tools`. */
  readonly createTool: (action: {
    readonly id: string;
    readonly description: string;
    readonly inputSchema: never;
    readonly execute: (input: unknown, context: MastraCallContext) => Promise<unknown>;
  }) => MastraTool;
  /** Suspends a run for what the policy does not decide; resume it with `{ approved: boolean }`. Needs a storage. Default `false`: the host's `ask`. */
  readonly suspends?: boolean;
}

/** Context of a call, as far as the adapter reads it. */
export interface MastraCallContext {
  readonly abortSignal?: AbortSignal | undefined;
  readonly agent?:
    | {
        readonly toolCallId: string;
        readonly resumeData?: unknown;
        suspend(question: unknown): Promise<void>;
      }
    | undefined;
}

/** Arguments of a processor, as far as they are read. */
export interface MastraMessages {
  readonly messages: readonly { readonly id?: string }[];
}

/** List of messages that a processor receives. */
export interface MastraMessageList {
  readonly get: { readonly all: { db(): readonly { readonly id?: string }[] } };
  add(message: never, source: 'input'): unknown;
}

/** Options for an agent of Mastra, to be spread into its own. */
export interface MastraAgentParts<MastraTool> {
  readonly tools: Record<string, MastraTool>;
  /** Adds the notice of what waits to the messages, before each request to the model. */
  readonly inputProcessors: {
    readonly id: 'troupe';
    processInputStep<List extends MastraMessageList>(
      args: MastraMessages & { readonly messageList: List },
    ): List;
  }[];
  /** Confirms the notices of a run that has ended. */
  readonly outputProcessors: {
    readonly id: 'troupe';
    processOutputResult<List extends MastraMessageList>(args: { readonly messageList: List }): List;
  }[];
}

/**
 * Connects an agent of Mastra with a host: its tools, and notices as messages before each request to the model. A notice is confirmed
 * once a later step, or a later run with the same memory, has it among its messages, so it is never added twice.
 *
 * @example
 * ```ts
 * const agent = new Agent({ id, name, instructions, model, memory, ...createMastraParts(host, { createTool }) });
 * ```
 */
export function createMastraParts<MastraTool>(
  host: ToolHost,
  { createTool, suspends = false }: MastraParts<MastraTool>,
): MastraAgentParts<MastraTool> {
  const notices = createMessageNotices(host);
  const run = async (tool: Tool, input: unknown, { abortSignal, agent }: MastraCallContext = {}) => {
    const request = { id: agent?.toolCallId, name: tool.name, input };
    const resumed = agent?.resumeData as { readonly approved?: boolean } | undefined;
    if (suspends && agent !== undefined && resumed === undefined) {
      const decision = await host.decide(request);
      if (decision.type === 'ask') return agent.suspend(decision.question);
    }
    const ask = async () => resumed?.approved === true;
    const options = { signal: abortSignal, ...(resumed !== undefined && { ask }) };
    const { answer } = await host.call(request, options);
    return toPlainAnswer(answer);
  };
  const toTool = (tool: Tool) =>
    createTool({
      id: tool.name,
      description: tool.description,
      inputSchema: toInputSchema(tool) as never,
      execute: (input, context) => run(tool, input, context),
    });
  return {
    tools: Object.fromEntries(host.tools.map((tool) => [tool.name, toTool(tool)])),
    inputProcessors: [
      {
        id: 'troupe',
        processInputStep: ({ messages, messageList }) => {
          const notice = notices.next(messages);
          if (notice !== null) messageList.add(notice as never, 'input');
          return messageList;
        },
      },
    ],
    outputProcessors: [
      {
        id: 'troupe',
        // `messages` are those of the answer only.
        processOutputResult: ({ messageList }) => {
          notices.confirm(messageList.get.all.db());
          return messageList;
        },
      },
    ],
  };
}
