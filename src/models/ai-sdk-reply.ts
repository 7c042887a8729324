import type {
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { type RecordedPart, toReplyRecord } from './ai-sdk-record.ts';
import type { ChatDelta } from './chat-model.ts';
import { ModelError } from './model-error.ts';
import { toModelError } from './to-model-error.ts';

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['finishReason'];

/** Anthropic's provider reports billing with it, which is not content. */
const MESSAGE_START = 'anthropic.message_start';

/** Reads one reply, part by part. */
interface AiSdkReply {
  /**
   * Reads one part.
   *
   * @throws ModelError for an error that the provider streams.
   */
  read(part: LanguageModelV4StreamPart): readonly ChatDelta[];
  /**
   * Completes the reply.
   *
   * @throws ModelError if it is incomplete.
   */
  end(): readonly ChatDelta[];
}

/**
 * Creates a reader that takes calls from the final part of each, ignoring calls that the provider executes
 * itself.
 */
export function createAiSdkReply({ name, provider }: { name: string; provider: string }): AiSdkReply {
  const parts: RecordedPart[] = [];
  const open = new Map<string, RecordedPart>();
  let finish: Finish | null = null;

  const begin = (id: string, part: RecordedPart): void => {
    parts.push(part);
    open.set(id, part);
  };
  const keep = (id: string, metadata: SharedV4ProviderMetadata | undefined): RecordedPart | undefined => {
    const part = open.get(id);
    if (part !== undefined && metadata !== undefined) part.metadata = join(part.metadata, metadata);
    return part;
  };

  return {
    read: (part) => {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          begin(
            part.id,
            part.type === 'text-start' ? { type: 'text', length: 0 } : { type: 'reasoning', text: '' },
          );
          keep(part.id, part.providerMetadata);
          return [];
        case 'text-delta': {
          if (!open.has(part.id)) begin(part.id, { type: 'text', length: 0 });
          const text = keep(part.id, part.providerMetadata);
          if (text?.type === 'text') text.length += part.delta.length;
          return part.delta === '' ? [] : [{ type: 'text', text: part.delta }];
        }
        case 'reasoning-delta': {
          const reasoning = keep(part.id, part.providerMetadata);
          if (reasoning?.type === 'reasoning') reasoning.text += part.delta;
          return [];
        }
        case 'text-end':
        case 'reasoning-end':
          keep(part.id, part.providerMetadata);
          open.delete(part.id);
          return [];
        case 'tool-call': {
          if (part.providerExecuted === true) return [];
          const { toolCallId: id, toolName, input, providerMetadata: metadata } = part;
          parts.push({ type: 'call', ...(metadata !== undefined && { metadata: clone(metadata) }) });
          return [{ type: 'toolCall', id, name: toolName, argumentsText: input }];
        }
        case 'custom': {
          const { kind, providerMetadata: metadata } = part;
          if (kind === MESSAGE_START) return [];
          parts.push({ type: 'custom', kind, ...(metadata !== undefined && { metadata: clone(metadata) }) });
          return [];
        }
        case 'finish':
          finish = part.finishReason;
          return toUsage(part.usage);
        case 'error':
          throw toModelError(part.error);
        default:
          return [];
      }
    },
    end: () => {
      refuseHalf(finish, { name, isEmpty: parts.every(isWordless) });
      const data = toReplyRecord(provider, parts);
      return data === null ? [] : [{ type: 'providerData', data }];
    },
  };
}

/** Third-party providers may omit it. */
function toUsage(given: LanguageModelV4Usage | undefined): readonly ChatDelta[] {
  const inputTokens = given?.inputTokens?.total;
  if (inputTokens === undefined) return [];
  return [{ type: 'usage', usage: { inputTokens, outputTokens: given?.outputTokens?.total ?? 0 } }];
}

function refuseHalf(finish: Finish | null, { name, isEmpty }: { name: string; isEmpty: boolean }): void {
  const fail = (failure: ModelError['failure'], what: string) =>
    new ModelError({ failure, message: `${name} ${what}` });
  switch (finish?.unified) {
    case undefined:
    case 'interrupted':
      throw fail('cut', 'ended its reply in the middle.');
    case 'error':
      throw fail('unavailable', 'stopped the reply with an error.');
    case 'content-filter':
      throw fail('refused', 'stopped the reply by its content filter.');
    case 'length':
      if (isEmpty) {
        throw fail('refused', 'reached its limit of tokens before it wrote anything; raise "maxTokens".');
      }
  }
}

function isWordless(part: RecordedPart): boolean {
  return part.type === 'reasoning' || part.type === 'custom' || (part.type === 'text' && part.length === 0);
}

/** Merges metadata, provider by provider; later values win. */
function join(
  before: SharedV4ProviderMetadata | undefined,
  metadata: SharedV4ProviderMetadata,
): NonNullable<RecordedPart['metadata']> {
  const joined = { ...before };
  for (const [provider, values] of Object.entries(metadata)) {
    joined[provider] = { ...joined[provider], ...values };
  }
  return clone(joined);
}

/** Copies as JSON, so that a stored transcript is the same. */
function clone(metadata: SharedV4ProviderMetadata): NonNullable<RecordedPart['metadata']> {
  return JSON.parse(JSON.stringify(metadata));
}
