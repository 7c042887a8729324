import type { ChatDelta } from './chat-model.ts';
import {
  failureOfCode,
  failureOfStatus,
  fromValue,
  isTooLong,
  toLine,
  toSentence,
} from './endpoint-failure.ts';

import { ModelError, type ModelFailure } from './model-error.ts';
import { createOpenAiCalls } from './openai-calls.ts';
import { type ChatChunk, type ChatPiece, chatChunk } from './openai-chunk.ts';
import { createReasoning } from './openai-reasoning.ts';

/** Reads one reply, chunk by chunk. */
export interface ReplyReader {
  /**
   * Reads one chunk.
   *
   * @throws ModelError `invalid` for invalid data; the failure of an error inside the stream.
   */
  read(data: string): readonly ChatDelta[];
  /**
   * Completes the reply.
   *
   * @throws ModelError if it is incomplete.
   */
  end(): readonly ChatDelta[];
  /** The endpoint has marked the reply complete. */
  readonly isFinished: boolean;
}

export function createReplyReader(request: {
  /** The endpoint, for messages. */
  readonly address: string;
  readonly model: string;
}): ReplyReader {
  const { address, model } = request;
  const calls = createOpenAiCalls();
  const reasoning = createReasoning();
  const fail = (failure: ModelFailure, what: string) =>
    new ModelError({ failure, message: `${address} ${what}` });
  let finish: string | null = null;
  let hasText = false;
  let usage: ChatChunk['usage'] = null;

  const readPiece = (piece: ChatPiece, { isWhole }: { isWhole: boolean }): readonly ChatDelta[] => {
    reasoning.read(piece);
    const text = toText(piece);
    if (text !== '') hasText = true;
    const deltas = (piece.tool_calls ?? []).flatMap((call, index) =>
      calls.read(isWhole ? { ...call, index } : call),
    );
    return text === '' ? deltas : [{ type: 'text', text }, ...deltas];
  };

  return {
    read: (data) => {
      if (data === '[DONE]') {
        finish ??= 'done';
        return [];
      }
      const chunk = chatChunk.safeParse(parseJson(data));
      if (!chunk.success)
        throw fail('invalid', `sent something that is not part of a reply: ${toLine(data)}`);
      const { error, choices } = chunk.data;
      if (error != null) throw toStreamError(error, address);
      usage = chunk.data.usage ?? usage;
      const choice = choices?.find(({ index }) => (index ?? 0) === 0);
      finish = choice?.finish_reason || finish;
      const { message, delta } = choice ?? {};
      if (message == null) return delta == null ? [] : readPiece(delta, { isWhole: false });
      finish ??= 'stop';
      return readPiece(message, { isWhole: true });
    },
    end: () => {
      if (finish === null) throw fail('cut', 'ended its reply in the middle.');
      if (finish === 'content_filter') throw fail('refused', 'stopped the reply by its content filter.');
      if (finish === 'error') throw fail('unavailable', 'stopped the reply with an error.');
      if (finish === 'length' && !hasText && calls.size === 0) {
        throw fail('refused', 'reached its limit of tokens before it wrote anything; raise "maxTokens".');
      }
      const data = reasoning.toProviderData({ model, extras: calls.extras });
      const last: readonly ChatDelta[] =
        data === null || calls.size === 0 ? [] : [{ type: 'providerData', data }];
      return [...calls.end(), ...last, ...toUsage(usage)];
    },
    get isFinished() {
      return finish !== null;
    },
  };
}

function toUsage(usage: ChatChunk['usage']): readonly ChatDelta[] {
  if (usage == null) return [];
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage;
  return [{ type: 'usage', usage: { inputTokens, outputTokens } }];
}

/** Returns `undefined` for invalid JSON, which no schema accepts. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Includes a refusal, which is text of the model, too. */
function toText({ content, refusal }: ChatPiece): string {
  const said = typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('');
  return said + (refusal ?? '');
}

/** Converts an error in the stream: an unclassified one may pass, since the request was accepted. */
function toStreamError(error: unknown, address: string): ModelError {
  const { code, status } = error as { code?: unknown; status?: unknown };
  const number = [code, status].map(Number).find((value) => value >= 400 && value < 600);
  const said = fromValue(error);
  const ofStatus = number === undefined ? null : failureOfStatus(number);
  const text = said?.text ?? toLine(JSON.stringify(error));
  const word = said?.code ?? '';
  const failure = isTooLong({ status: number ?? null, code: word, text })
    ? 'tooLong'
    : (ofStatus ?? failureOfCode(word) ?? 'unavailable');
  return new ModelError({ failure, message: `${address} stopped the reply: ${toSentence(text)}` });
}
