import type { ChatDelta } from './chat-model.ts';
import type { CallPiece } from './openai-chunk.ts';
import { createCallIds } from './tool-calls.ts';

type Extra = Readonly<Record<string, unknown>>;

interface OpenCall {
  readonly id: string;
  /** As the endpoint calls it; `''` where it does not. */
  readonly givenId: string;
  readonly place: number;
  /** `''` until it comes. */
  name: string;
  argumentsText: string;
  extra: Extra | null;
}

/** Puts together the calls of one streamed reply, whatever the endpoint numbers and names of them. */
interface OpenAiCalls {
  read(piece: CallPiece): readonly ChatDelta[];
  /** What waits for a name that did not come. */
  end(): readonly ChatDelta[];
  readonly size: number;
  /** What belongs to a call and is nobody's but the endpoint's, by the call's place. */
  readonly extras: Readonly<Record<string, Extra>>;
}

export function createOpenAiCalls(): OpenAiCalls {
  const toId = createCallIds();
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();

  const begin = (givenId: string): OpenCall => {
    const call = {
      id: toId(givenId),
      givenId,
      place: calls.length,
      name: '',
      argumentsText: '',
      extra: null,
    };
    calls.push(call);
    return call;
  };

  const find = (piece: CallPiece): OpenCall => {
    const { index, id } = piece;
    const known = index == null ? findByGivenId(id, calls) : byIndex.get(index);
    const call = known === undefined || beginsAnother(piece, known) ? begin(id ?? '') : known;
    if (index != null) byIndex.set(index, call);
    return call;
  };

  return {
    read: (piece) => {
      const call = find(piece);
      call.extra = piece.extra_content ?? call.extra;
      const text = toText(piece.function?.arguments);
      const isNamed = call.name !== '';
      call.argumentsText += text;
      call.name ||= piece.function?.name ?? '';
      if (isNamed) return text === '' ? [] : [{ type: 'toolCall', id: call.id, argumentsText: text }];
      const { id, name, argumentsText } = call;
      return name === '' ? [] : [{ type: 'toolCall', id, name, argumentsText }];
    },
    end: () =>
      calls
        .filter(({ name }) => name === '')
        .map(({ id, argumentsText }) => ({ type: 'toolCall', id, argumentsText })),
    get size() {
      return calls.length;
    },
    get extras() {
      return Object.fromEntries(
        calls.flatMap(({ place, extra }) => (extra === null ? [] : [[place, extra]])),
      );
    },
  };
}

/** Without an index: what carries no id goes on with the call before. */
function findByGivenId(id: string | null | undefined, calls: readonly OpenCall[]): OpenCall | undefined {
  return id ? calls.find(({ givenId }) => givenId === id) : calls.at(-1);
}

/**
 * Some endpoints give every call the index 0, or none, and no id: another id beside a name is another call, and so is another name,
 * or the same once more when the arguments are whole. Other endpoints repeat id and name with every piece of one call.
 */
function beginsAnother({ id, function: called }: CallPiece, known: OpenCall): boolean {
  const name = called?.name;
  if (!name || known.name === '') return false;
  if (id) return id !== known.givenId;
  return name !== known.name || (toText(called?.arguments) !== '' && isJson(known.argumentsText));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toText(given: string | Readonly<Record<string, unknown>> | null | undefined): string {
  return typeof given === 'object' && given !== null ? JSON.stringify(given) : (given ?? '');
}
