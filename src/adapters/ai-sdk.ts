import { toPlainAnswer } from '../tools/answer-text.ts';
import { toInputSchema } from '../tools/input-schema.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolCallOptions, ToolHost } from '../tools/tool-host.ts';

export {
  type AiSdkSandbox,
  type AiSdkSandboxCommand,
  type AiSdkSandboxInput,
  type AiSdkSandboxPath,
  type AiSdkSandboxProcess,
  createAiSdkSandbox,
} from './ai-sdk-sandbox.ts';
export { type AiSdkUiChunk, toUiMessageStream } from './ai-sdk-ui-stream.ts';
export type { SandboxOptions } from './sandbox-commands.ts';

type Shown = ReturnType<typeof toPlainAnswer>;

/**
 * Tool of the AI SDK, as in `tools` of `generateText`. Described structurally, so that the SDK need not be installed.
 */
export interface AiSdkTool {
  readonly description: string;
  /** Standard Schema with a JSON Schema that accepts everything; the tool validates the input itself. */
  readonly inputSchema: AiSdkSchema;
  execute(
    input: unknown,
    options?: { readonly abortSignal?: AbortSignal | undefined; readonly toolCallId?: string | undefined },
  ): Promise<Shown>;
}

interface AiSdkSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'troupe';
    validate(value: unknown): { readonly value: unknown };
    readonly jsonSchema: {
      input(): Record<string, unknown>;
      output(): Record<string, unknown>;
    };
  };
}

/** Steering object of the AI SDK, made by `experimental_createSteering()`. */
export interface AiSdkSteering {
  steer(
    message: string,
    options?: { id?: string },
  ): Promise<{ readonly type: 'delivered' | 'not-delivered' }>;
}

/** Approval of a call, as `toolApproval` returns it. */
export type AiSdkApproval =
  | undefined
  | { readonly type: 'user-approval'; readonly reason: string }
  | { readonly type: 'denied'; readonly reason: string };

/** Options of one run of `generateText`, `streamText` or an agent, to be spread into its own. */
export interface AiSdkRun<Steering extends AiSdkSteering> {
  readonly tools: Record<string, AiSdkTool>;
  /** Asks the policy: what needs a person becomes an approval request of the SDK. Calls of tools that are not the host's are not judged. */
  readonly toolApproval: (options: {
    readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input?: unknown };
  }) => Promise<AiSdkApproval>;
  /** Carries notices into the next step. */
  readonly experimental_steering: Steering;
  /** Takes the notice of what has ended during a step. A run with an `onStepEnd` of its own calls this one from it. */
  readonly onStepEnd: () => void;
}

/**
 * Returns the tools of a host for a loop of the AI SDK that brings its own notices: before each request it puts the notice of `host.take`
 * into its messages. The loop's abort signal interrupts waiting calls and ends no process.
 */
export function toAiSdkTools(host: ToolHost): Record<string, AiSdkTool> {
  return toTools(host, {});
}

/**
 * Connects one run of the AI SDK with a host: its tools, the policy as approvals, and notices as steering messages, whose id is the id of
 * the completion. A process that ends in the background enters the run with the next step, also where the model has just given its
 * last answer; what the run could not deliver enters the next one.
 *
 * @example
 * ```ts
 * const run = createAiSdkRun(host, experimental_createSteering());
 * const { text } = await generateText({ model, prompt, stopWhen: isStepCount(20), ...run });
 * ```
 */
export function createAiSdkRun<Steering extends AiSdkSteering>(
  host: ToolHost,
  steering: Steering,
): AiSdkRun<Steering> {
  const steer = () => {
    const notice = host.take();
    if (notice === null) return;
    void steering.steer(notice.text, { id: notice.ids.join(' ') }).then(({ type }) => {
      if (type === 'delivered') host.delivered(notice.ids);
    });
  };
  steer();
  return {
    // The SDK makes a call only once it is approved.
    tools: toTools(host, { ask: async () => true }),
    toolApproval: async ({ toolCall: { toolCallId: id, toolName: name, input } }) => {
      const decision = await host.decide({ id, name, input });
      if (decision.type === 'allow') return undefined;
      if (decision.type === 'deny') return { type: 'denied', reason: decision.reason };
      return { type: 'user-approval', reason: decision.question.question };
    },
    experimental_steering: steering,
    onStepEnd: steer,
  };
}

function toTools(host: ToolHost, options: Pick<ToolCallOptions, 'ask'>): Record<string, AiSdkTool> {
  const toTool = (tool: Tool): AiSdkTool => ({
    description: tool.description,
    inputSchema: toSchema(tool),
    execute: async (input, { abortSignal, toolCallId } = {}) => {
      const request = { id: toolCallId, name: tool.name, input };
      const { answer } = await host.call(request, { ...options, signal: abortSignal });
      return toPlainAnswer(answer);
    },
  });
  return Object.fromEntries(host.tools.map((tool) => [tool.name, toTool(tool)]));
}

function toSchema(tool: Tool): AiSdkSchema {
  const toJsonSchema = () => ({ ...toInputSchema(tool) });
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => ({ value }),
      jsonSchema: { input: toJsonSchema, output: toJsonSchema },
    },
  };
}
