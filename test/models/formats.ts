/** The rules of one provider's requests, as its documentation has them, and how to read one. */
export interface Format {
  /** What the provider would refuse, in words. */
  findViolations(body: unknown): readonly string[];
  systemOf(body: unknown): string;
  /** Each text of the user's side, as a unit of its own. */
  userTextsOf(body: unknown): readonly string[];
  /** The smallest units in their order, with their roles: what a prompt cache compares. */
  piecesOf(body: unknown): readonly unknown[];
  userPiece(text: string): unknown;
  rolesOf(body: unknown): readonly string[];
  /** The field of the body that the pieces are in, emptied. */
  readonly without: Readonly<Record<string, null>>;
}

interface OpenAiMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null | readonly { readonly text: string }[];
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

const openAi = (body: unknown) => (body as { messages: readonly OpenAiMessage[] }).messages;

/** Tool messages answer the calls directly before them, each once; the system speaks first. */
export const openAiFormat: Format = {
  findViolations: (body) => {
    const messages = openAi(body);
    return messages.flatMap((message, place) => {
      const ids = message.tool_calls?.map(({ id }) => id) ?? [];
      const answers = messages.slice(place + 1, place + 1 + ids.length).map((answer) => answer.tool_call_id);
      const isToolMisplaced = message.role === 'tool' && !isAnswer(messages, place);
      return [
        ...(ids.join() === answers.join() ? [] : [`${ids} are answered by ${answers}`]),
        ...(isToolMisplaced ? [`${message.tool_call_id} answers nothing`] : []),
        ...(message.role === 'system' && place > 0 ? ['the system speaks later'] : []),
        ...(message.content === '' ? ['an empty message'] : []),
        ...(message.content === null && ids.length === 0 ? ['no content and no calls'] : []),
        ...(message.tool_calls ?? []).flatMap((call) =>
          isObject(call.function.arguments) ? [] : ['no object'],
        ),
      ];
    });
  },
  systemOf: (body) => String(openAi(body)[0]?.content),
  userTextsOf: (body) =>
    openAi(body).flatMap(({ role, content }) => {
      if (role !== 'user') return [];
      return typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text);
    }),
  piecesOf: openAi,
  userPiece: (text) => ({ role: 'user', content: text }),
  rolesOf: (body) =>
    openAi(body)
      .map(({ role }) => role)
      .filter((role, place, roles) => role !== 'tool' || roles[place - 1] !== 'tool'),
  without: { messages: null },
};

function isAnswer(messages: readonly OpenAiMessage[], place: number): boolean {
  const before = messages.slice(0, place).findLast(({ role }) => role !== 'tool');
  return before?.tool_calls?.some(({ id }) => id === messages[place]?.tool_call_id) ?? false;
}

interface AnthropicBlock {
  readonly type: 'text' | 'tool_use' | 'tool_result' | 'thinking';
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly input?: unknown;
}

interface AnthropicBody {
  readonly system?: readonly { readonly text: string }[];
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: readonly AnthropicBlock[];
  }[];
}

/** Roles alternate and the user begins; results are the first blocks of the message behind their calls; no text is blank. */
export const anthropicFormat: Format = {
  findViolations: (body) => {
    const { messages } = body as AnthropicBody;
    return messages.flatMap(({ role, content }, place) => {
      const calls = role === 'assistant' ? content.filter(({ type }) => type === 'tool_use') : [];
      const following = messages[place + 1]?.content ?? [];
      const answers = following.slice(0, calls.length).map(({ tool_use_id }) => tool_use_id);
      const results = role === 'user' ? content.filter(({ type }) => type === 'tool_result') : [];
      const asked = (messages[place - 1]?.content ?? []).filter(({ type }) => type === 'tool_use');
      return [
        ...(role === (place % 2 === 0 ? 'user' : 'assistant') ? [] : [`${role} at ${place}`]),
        ...(calls.map(({ id }) => id).join() === answers.join() ? [] : [`calls are answered by ${answers}`]),
        ...(results.length === asked.length ? [] : ['results without a call']),
        ...(content.length > 0 ? [] : ['an empty message']),
        ...content.flatMap(({ type, text }) =>
          type === 'text' && text?.trim() === '' ? ['a blank text'] : [],
        ),
        ...calls.flatMap(({ input }) => (typeof input === 'object' && input !== null ? [] : ['no object'])),
      ];
    });
  },
  systemOf: (body) => ((body as AnthropicBody).system ?? []).map(({ text }) => text).join(),
  userTextsOf: (body) =>
    (body as AnthropicBody).messages.flatMap(({ role, content }) =>
      role === 'user' ? content.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : [])) : [],
    ),
  piecesOf: (body) =>
    (body as AnthropicBody).messages.flatMap(({ role, content }) =>
      content.map((block) => ({ role, ...block })),
    ),
  userPiece: (text) => ({ role: 'user', type: 'text', text }),
  rolesOf: (body) => (body as AnthropicBody).messages.map(({ role }) => role),
  without: { messages: null },
};

interface GeminiPart {
  readonly text?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: unknown };
  readonly functionResponse?: { readonly id?: string; readonly name: string };
}

interface GeminiBody {
  readonly systemInstruction?: { readonly parts: readonly { readonly text: string }[] };
  readonly contents: readonly { readonly role: 'user' | 'model'; readonly parts: readonly GeminiPart[] }[];
}

/** The turn behind calls has as many responses as there were calls, and nothing else; the model never speaks twice in a row. */
export const geminiFormat: Format = {
  findViolations: (body) => {
    const { contents } = body as GeminiBody;
    return contents.flatMap(({ role, parts }, place) => {
      const calls = parts.flatMap((part) => part.functionCall ?? []);
      const behind = contents[place + 1];
      const responses = (behind?.parts ?? []).flatMap((part) => part.functionResponse ?? []);
      const isAnswered =
        calls.length === 0 ||
        (behind?.parts.length === calls.length &&
          toKeys(responses) === toKeys(calls) &&
          behind.role === 'user');
      const asked =
        contents[place - 1]?.parts.some(({ functionCall }) => functionCall !== undefined) ?? false;
      const answers = parts.some(({ functionResponse }) => functionResponse !== undefined);
      return [
        ...(place > 0 || role === 'user' ? [] : ['the model begins']),
        ...(role === 'model' && contents[place + 1]?.role === 'model' ? ['the model speaks twice'] : []),
        ...(isAnswered ? [] : [`${toKeys(calls)} are answered by ${toKeys(responses)}`]),
        ...(answers && !asked ? ['responses without a call'] : []),
        ...(parts.length > 0 ? [] : ['an empty content']),
        ...parts.flatMap(({ text }) => (text?.trim() === '' ? ['a blank text'] : [])),
        ...calls.flatMap(({ args }) => (typeof args === 'object' && args !== null ? [] : ['no object'])),
      ];
    });
  },
  systemOf: (body) => ((body as GeminiBody).systemInstruction?.parts ?? []).map(({ text }) => text).join(),
  userTextsOf: (body) =>
    (body as GeminiBody).contents.flatMap(({ role, parts }) =>
      role === 'user' ? parts.flatMap(({ text }) => text ?? []) : [],
    ),
  piecesOf: (body) =>
    (body as GeminiBody).contents.flatMap(({ role, parts }) => parts.map((part) => ({ role, ...part }))),
  userPiece: (text) => ({ role: 'user', text }),
  rolesOf: (body) => (body as GeminiBody).contents.map(({ role }) => role),
  without: { contents: null },
};

function toKeys(calls: readonly { readonly id?: string; readonly name: string }[]): string {
  return calls.map(({ id, name }) => `${name} ${id}`).join();
}

function isObject(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
