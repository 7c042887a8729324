/** A tool call of a model. */
export interface ToolCall {
  /** Unique within its conversation; the result repeats it. */
  readonly id: string;
  readonly name: string;
  /** JSON text as written by the model, which may be invalid. */
  readonly argumentsText: string;
}

/**
 * Data that only the model that wrote a reply can read, such as signatures of its thoughts: JSON, kept with
 * the reply and returned to that model unchanged. Other models ignore it.
 */
export type ProviderData = Readonly<Record<string, unknown>>;

/**
 * Cost of one request in tokens, as counted by the provider. Cached input counts as input, and thoughts as
 * output.
 */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * A message of a conversation, independent of providers. Tool messages directly follow the assistant's
 * message with their calls, one per call in the same order.
 */
export type ChatMessage = {
  /** Time at which it entered a transcript, in milliseconds since the epoch. Absent outside transcripts and in those of older journals. */
  readonly at?: number | undefined;
} & (
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  /** An external event. Adapters send it as the user; a visible transcript omits it. */
  | { readonly role: 'notice'; readonly completionIds: readonly string[]; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly providerData?: ProviderData;
      /** Usage of the request that it answers; missing if the provider does not report it. */
      readonly usage?: TokenUsage;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string }
);

/** A piece of a reply, in order. */
export type ChatDelta =
  | { readonly type: 'text'; readonly text: string }
  /**
   * A name begins a call; later deltas with the same id and no name belong to it, and their texts are joined.
   * Ids distinguish the calls of one reply; the collector makes them unique in the conversation.
   */
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name?: string;
      readonly argumentsText?: string;
    }
  /** Data of the whole reply; the last one counts. */
  | { readonly type: 'providerData'; readonly data: ProviderData }
  /** Usage of the whole reply; the last one counts. */
  | { readonly type: 'usage'; readonly usage: TokenUsage };

/** The description of a tool for a model. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDescription[];
  /** Aborted when the reply is no longer needed; the stream then ends or rejects soon. */
  readonly signal: AbortSignal;
}

/**
 * A language model. The stream ends with the reply, and rejects if there is none; an unstreamed reply is one
 * delta.
 */
export interface ChatModel {
  readonly name: string;
  stream(request: ChatRequest): AsyncIterable<ChatDelta>;
}
