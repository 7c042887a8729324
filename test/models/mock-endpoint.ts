import { type ErrorResponse, type Fixture, LLMock } from '@copilotkit/aimock';

/** What the endpoint answers to one request. */
export type MockAnswer =
  | { readonly text?: string; readonly calls?: readonly MockCall[]; readonly reasoning?: string }
  | {
      readonly status: number;
      readonly message: string;
      readonly code?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Closes the connection after so many pieces of the text. */
  | { readonly text: string; readonly cutAfter: number };

interface MockCall {
  readonly name: string;
  /** An object, or text that may be broken. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  readonly id?: string;
}

/** A model's endpoint on loopback, which speaks the wires of OpenAI, Anthropic and Gemini. */
export interface MockEndpoint extends AsyncDisposable {
  /** `http://127.0.0.1:4010`. */
  readonly url: string;
  /** For `createOpenAiModel`, and for providers that expect the version in their base. */
  readonly baseUrl: string;
  /** The bodies of all requests, as the mock understands them: in OpenAI's form, whatever the wire. */
  requests(): readonly { readonly messages: readonly MockMessage[]; readonly model: string }[];
}

export interface MockMessage {
  readonly role: string;
  readonly content: unknown;
}

/**
 * Answers one request after the other with `answers`, or with what one makes of the messages, over real HTTP; a request beyond them gets a 404. Streams come in pieces of
 * eight characters.
 */
export async function startMockEndpoint(
  answers: readonly (MockAnswer | ((messages: readonly MockMessage[]) => MockAnswer))[],
): Promise<MockEndpoint> {
  const mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 8, journalMaxEntries: 0 });
  let served = 0;
  for (const [index, answer] of answers.entries()) {
    mock.addFixture({
      match: { predicate: () => served === index },
      response: ({ messages }) => {
        served += 1;
        return toResponse(typeof answer === 'function' ? answer(messages) : answer);
      },
      ...(typeof answer === 'object' && 'cutAfter' in answer && { truncateAfterChunks: answer.cutAfter }),
    });
  }
  const url = await mock.start();
  return {
    url,
    baseUrl: `${url}/v1`,
    requests: () => mock.getRequests().map(({ body }) => body as never),
    [Symbol.asyncDispose]: () => mock.stop(),
  };
}

function toResponse(answer: MockAnswer): Exclude<Fixture['response'], (...given: never[]) => unknown> {
  if ('status' in answer) {
    const { status, message, code, retryAfterSeconds: retryAfter } = answer;
    const error: ErrorResponse['error'] = { message, ...(code !== undefined && { code }) };
    return { status, error, ...(retryAfter !== undefined && { retryAfter }) };
  }
  const calls = 'calls' in answer ? (answer.calls ?? []) : [];
  const reasoning = 'reasoning' in answer ? { reasoning: answer.reasoning ?? '' } : {};
  if (calls.length === 0) return { content: answer.text ?? '', ...reasoning };
  const toolCalls = calls.map(({ name, arguments: given, id }) => ({
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
    ...(id !== undefined && { id }),
  }));
  if (answer.text === undefined) return { toolCalls, ...reasoning };
  return { content: answer.text, toolCalls, ...reasoning };
}
