import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { ChatDelta, ChatModel, ChatRequest } from './chat-model.ts';
import { findNetworkCause, toLine } from './endpoint-failure.ts';
import { createIdleTimeout, type IdleTimeout } from './idle-timeout.ts';
import { ModelError } from './model-error.ts';
import {
  checkHeaders,
  type OpenAiModelOptions,
  type OpenAiSettings,
  openAiOptions,
} from './model-options.ts';
import { createReplyReader, type ReplyReader } from './openai-reply.ts';
import { type EndpointDialect, postChat, toAddress } from './openai-request.ts';
import { readEvents } from './server-sent-events.ts';

/** Limit of an unstreamed reply. */
const MAX_JSON_BYTES = 32 * 2 ** 20;

/** Time for an endpoint to close the stream after its reply. */
const FINISH_GRACE_MS = 2_000;

/**
 * Creates a model for an endpoint with OpenAI's chat completions, streamed or not. Failures are ModelErrors;
 * an aborted request rejects with the signal's reason. Nothing stays open when the stream ends, fails, or is
 * abandoned.
 *
 * @throws TroupeError `invalid-option`
 */
export function createOpenAiModel(options: OpenAiModelOptions): ChatModel {
  const settings = parseOptions(openAiOptions, { input: options, name: 'createOpenAiModel' });
  checkHeaders(settings.headers, 'createOpenAiModel');
  const dialect: EndpointDialect = { asksUsage: true };
  return {
    name: settings.name ?? settings.model,
    stream: (request) => streamReply(request, { settings, dialect }),
  };
}

async function* streamReply(
  request: ChatRequest,
  { settings, dialect }: { readonly settings: OpenAiSettings; readonly dialect: EndpointDialect },
): AsyncGenerator<ChatDelta> {
  const { messages, tools, signal } = request;
  const address = toAddress(settings);
  const watch = createIdleTimeout({ signal, idleMs: settings.idleTimeout, name: address });
  const reader = createReplyReader({ address, model: settings.model });
  try {
    signal.throwIfAborted();
    const response = await postChat({ messages, tools, signal: watch.signal }, { settings, dialect });
    watch.restart();
    yield* readReply(response, { reader, watch, address });
    signal.throwIfAborted();
    yield* reader.end();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw hideSecrets(toFailure(error, address), settings);
  } finally {
    watch.stop();
  }
}

/** Reads the reply. Once the endpoint has marked it complete, later errors are ignored. */
async function* readReply(
  response: Response,
  { reader, watch, address }: { reader: ReplyReader; watch: IdleTimeout; address: string },
): AsyncGenerator<ChatDelta> {
  const body = readBody(response, watch);
  const type = response.headers.get('content-type') ?? '';
  let events = 0;
  try {
    for await (const data of /\bjson\b/.test(type) ? readAtOnce(body) : readEvents(body)) {
      events += 1;
      yield* reader.read(data);
      if (data === '[DONE]') return;
      if (reader.isFinished) watch.restart(FINISH_GRACE_MS);
    }
  } catch (error) {
    if (!reader.isFinished) throw error;
  }
  if (events > 0) return;
  const what = type === '' ? 'something' : toLine(type);
  const message = `${address} answered with ${what} instead of a reply. Check "baseUrl".`;
  throw new ModelError({ failure: 'invalid', message });
}

/** Pauses the timeout while the reader is busy. */
async function* readBody({ body }: Response, watch: IdleTimeout): AsyncGenerator<Uint8Array> {
  for await (const chunk of body ?? []) {
    watch.pause();
    yield chunk;
    watch.restart();
  }
}

/** Reads an unstreamed reply as one event. */
async function* readAtOnce(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes <= MAX_JSON_BYTES) continue;
    const message = `The endpoint answered with more than ${MAX_JSON_BYTES} bytes at once.`;
    throw new ModelError({ failure: 'invalid', message });
  }
  yield Buffer.concat(chunks).toString();
}

/** Treats any error of `fetch` while reading as the end of the connection. */
function toFailure(error: unknown, address: string): ModelError {
  if (error instanceof ModelError) return error;
  const why = findNetworkCause(error) ?? toErrorText(error);
  return new ModelError({ failure: 'cut', message: `${address} broke off its reply: ${why}.`, cause: error });
}

/** Redacts the request's secrets, which endpoints repeat in errors. */
function hideSecrets(error: ModelError, { apiKey, headers }: OpenAiSettings): ModelError {
  const secrets = [apiKey ?? '', ...Object.values(headers)].filter(({ length }) => length >= 8);
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), error.message);
  if (message === error.message) return error;
  const { failure, retryAfterMs } = error;
  return new ModelError({ failure, message, retryAfterMs });
}
