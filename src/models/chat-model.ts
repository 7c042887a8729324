/** A call that a model asks for. */
export interface ToolCall {
  /** Unique within its conversation; the answer carries it again. */
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it: it may be broken. */
  readonly argumentsText: string;
}

/**
 * What only the model that wrote a reply can read, such as the signatures of its thoughts: JSON, kept with the reply and given
 * back to that model as it came. Another model leaves it alone.
 */
export type ProviderData = Readonly<Record<string, unknown>>;

/** What one request cost, in tokens, by the provider's own count. Cached input counts as input, and thoughts count as output. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * One message of a conversation, in no provider's dialect. The messages of tools stand directly behind the assistant's message
 * with their calls, one for each call and in the same order.
 */
export type ChatMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  /** What happened outside. Adapters send it on the user's side; nobody typed it, and a visible transcript leaves it out. */
  | { readonly role: 'notice'; readonly completionIds: readonly string[]; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly providerData?: ProviderData;
      /** Of the request that it is the reply to; missing where the provider does not tell. */
      readonly usage?: TokenUsage;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string };

/** A piece of what a model says, in the order in which it says it. */
export type ChatDelta =
  | { readonly type: 'text'; readonly text: string }
  /**
   * A name begins a call; what follows with the same id and no name belongs to it, and the texts are joined. Ids tell the calls of one
   * reply apart; whoever collects it makes them unique in the conversation.
   */
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name?: string;
      readonly argumentsText?: string;
    }
  /** Of the whole reply; the last one counts. */
  | { readonly type: 'providerData'; readonly data: ProviderData }
  /** The same. */
  | { readonly type: 'usage'; readonly usage: TokenUsage };

/** A tool as a model is told of it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDescription[];
  /** Aborted when nobody waits for the reply any more; the stream then ends or rejects soon. */
  readonly signal: AbortSignal;
}

/** A language model. The stream ends with the reply, and rejects when there is none; a reply all at once is one delta. */
export interface ChatModel {
  readonly name: string;
  stream(request: ChatRequest): AsyncIterable<ChatDelta>;
}
