import type {
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { z } from 'zod';
import type { ProviderData } from './chat-model.ts';

const metadata = z.record(z.string(), z.record(z.string(), z.json())).optional();

/**
 * Parts of a provider's reply in order, as far as text and calls do not contain them: thoughts with their
 * signatures, and what the provider attaches to a text or call. A text stands for the next `length`
 * characters of the reply's text, a call for its next call.
 */
const recordedPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), length: z.int().min(0), metadata }),
  z.object({ type: z.literal('call'), metadata }),
  z.object({ type: z.literal('reasoning'), text: z.string(), metadata }),
  z.object({ type: z.literal('custom'), kind: z.templateLiteral([z.string(), '.', z.string()]), metadata }),
]);

const replyRecord = z.object({
  from: z.literal('ai-sdk'),
  provider: z.string(),
  parts: z.array(recordedPart),
});

export type RecordedPart = z.output<typeof recordedPart>;

/** Returns `null` if text and calls contain everything. */
export function toReplyRecord(provider: string, parts: readonly RecordedPart[]): ProviderData | null {
  const isPlain = parts.every(
    ({ type, metadata }, place) =>
      metadata === undefined && ((type === 'text' && place === 0) || type === 'call'),
  );
  return isPlain ? null : { from: 'ai-sdk', provider, parts };
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/**
 * Restores the reply as its provider wrote it; `null` if another provider did, or the record does not fit the
 * reply.
 */
export function fromReplyRecord(
  data: ProviderData | undefined,
  reply: {
    readonly provider: string;
    readonly text: string;
    readonly calls: readonly LanguageModelV4ToolCallPart[];
  },
): AssistantContent | null {
  const parsed = replyRecord.safeParse(data);
  if (!parsed.success || parsed.data.provider !== reply.provider) return null;
  const content: AssistantContent = [];
  const calls = [...reply.calls];
  let text = reply.text;
  for (const part of parsed.data.parts) {
    const options = toOptions(part.metadata);
    if (part.type === 'text') {
      content.push({ type: 'text', text: text.slice(0, part.length), ...options });
      text = text.slice(part.length);
    } else if (part.type === 'call') {
      const call = calls.shift();
      if (call === undefined) return null;
      content.push({ ...call, ...options });
    } else if (part.type === 'reasoning') {
      content.push({ type: 'reasoning', text: part.text, ...options });
    } else {
      content.push({ type: 'custom', kind: part.kind, ...options });
    }
  }
  return text === '' && calls.length === 0 ? content : null;
}

/** Returns metadata as options, as providers expect it back. */
function toOptions(metadata: SharedV4ProviderMetadata | undefined): {
  providerOptions?: SharedV4ProviderMetadata;
} {
  return metadata === undefined ? {} : { providerOptions: metadata };
}
