import type { ChatRequest } from './chat-model.ts';
import {
  describeFailure,
  failureOfCode,
  failureOfStatus,
  findNetworkCause,
  isTooLong,
  readEndpointMessage,
  readRetryAfter,
  toSentence,
} from './endpoint-failure.ts';

import { ModelError } from './model-error.ts';
import type { OpenAiSettings } from './model-options.ts';
import { toChatBody } from './openai-body.ts';

/** Bytes of the body of an error after which no more is read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Facts learned about an endpoint; kept as long as its model. */
export interface EndpointDialect {
  /** Requests token counts of streamed replies, which the endpoint may refuse. */
  asksUsage: boolean;
}

/**
 * Sends a request and returns the response with the reply. If the endpoint refuses `stream_options`, sends it
 * again without, and never uses the option again.
 *
 * @throws ModelError, and the signal's reason.
 */
export async function postChat(
  request: Pick<ChatRequest, 'messages' | 'tools' | 'signal'>,
  { settings, dialect }: { readonly settings: OpenAiSettings; readonly dialect: EndpointDialect },
): Promise<Response> {
  const { asksUsage } = dialect;
  const response = await send(request, { ...settings, asksUsage });
  if (response.ok) return response;
  const error = await toHttpError(response, settings);
  if (!asksUsage || error.failure !== 'refused' || !error.message.includes('stream_options')) throw error;
  dialect.asksUsage = false;
  return postChat(request, { settings, dialect });
}

async function send(
  request: Pick<ChatRequest, 'messages' | 'tools' | 'signal'>,
  settings: OpenAiSettings & { readonly asksUsage: boolean },
): Promise<Response> {
  const { apiKey, headers } = settings;
  const { signal } = request;
  try {
    return await fetch(toUrl(settings.baseUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      },
      body: JSON.stringify(toChatBody(request, settings)),
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const why = findNetworkCause(error) ?? (error as Error).message;
    const message = `Cannot reach ${toAddress(settings)}: ${why}. Check that it runs, and "baseUrl".`;
    throw new ModelError({ failure: 'unavailable', message, cause: error });
  }
}

function toUrl(baseUrl: string): URL {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}

/** Formats the address for messages, without the query, which may contain a key. */
export function toAddress({ baseUrl }: Pick<OpenAiSettings, 'baseUrl'>): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

async function toHttpError(response: Response, settings: OpenAiSettings): Promise<ModelError> {
  const { status, headers } = response;
  const said = readEndpointMessage(await readSome(response));
  const isSpent = status === 429 && failureOfCode(said.code) === 'refused';
  const ofStatus = isSpent ? 'refused' : failureOfStatus(status);
  const failure = isTooLong({ status, ...said }) ? 'tooLong' : ofStatus;
  const text = toSentence(said.text || response.statusText || 'no reason given');
  const retryAfterMs = readRetryAfter((name) => headers.get(name));
  const facts = { failure, address: toAddress(settings), status, text, retryAfterMs };
  return new ModelError({
    failure,
    message: `${describe(facts, settings)}${advise(facts, settings)}`,
    retryAfterMs,
  });
}

type FailureFacts = Parameters<typeof describeFailure>[0];

function describe(facts: FailureFacts, { apiKey }: OpenAiSettings): string {
  const { failure, address, status, text } = facts;
  if (failure !== 'unauthorized' || apiKey !== undefined) return describeFailure(facts);
  return `${address} requires a key (${status}), and none is set: ${text}`;
}

function advise(
  { failure, status }: FailureFacts,
  { apiKey, apiKeyVariable, model }: OpenAiSettings,
): string {
  if (failure === 'unauthorized') return ` ${apiKey === undefined ? 'Set' : 'Check'} ${apiKeyVariable}.`;
  return status === 404 ? ` Check "baseUrl" and the model ${JSON.stringify(model)}.` : '';
}

async function readSome({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status suffices.
  }
  return Buffer.concat(chunks).toString();
}
