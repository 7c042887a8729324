import { sendEvents, startRawEndpoint } from '../models/raw-endpoint.ts';

interface EndpointMessage {
  readonly role: string;
  readonly content: unknown;
}

export interface EndpointRequest {
  readonly model: string;
  readonly messages: readonly EndpointMessage[];
  /** What it was sent with. */
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A model behind an endpoint on loopback, for agents in other programs. */
export interface ChatEndpoint extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: readonly EndpointRequest[];
}

/** Answers every request with what `reply` makes of it: a text, or a call of a tool. */
export async function startChatEndpoint(
  reply: (
    request: EndpointRequest,
  ) => { readonly text: string } | { readonly call: readonly [string, Readonly<Record<string, unknown>>] },
): Promise<ChatEndpoint> {
  const requests: EndpointRequest[] = [];
  const endpoint = await startRawEndpoint((exchange) => {
    const body = exchange.body as EndpointRequest['body'] & Pick<EndpointRequest, 'model' | 'messages'>;
    const { model, messages } = body;
    const key = (exchange.headers.authorization ?? '').replace('Bearer ', '');
    const request = { model, messages, key, body };
    requests.push(request);
    sendEvents(exchange, [toChunk(reply(request), requests.length), '[DONE]']);
  });
  return {
    baseUrl: `${endpoint.url}/v1`,
    requests,
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

/** The text of the newest message. */
export function lastText(messages: readonly EndpointMessage[]): string {
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function toChunk(
  reply: { readonly text: string } | { readonly call: readonly [string, Readonly<Record<string, unknown>>] },
  number: number,
): object {
  const delta =
    'text' in reply
      ? { role: 'assistant', content: reply.text }
      : {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: `call_${number}`,
              type: 'function',
              function: { name: reply.call[0], arguments: JSON.stringify(reply.call[1]) },
            },
          ],
        };
  const finish_reason = 'text' in reply ? 'stop' : 'tool_calls';
  return {
    id: `reply_${number}`,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  };
}
