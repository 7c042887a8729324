import type { ChatDelta } from './chat-model.ts';
import type { CallPiece } from './openai-chunk.ts';
import { createCallIds } from './tool-calls.ts';

type Extra = Readonly<Record<string, unknown>>;

interface OpenCall {
  readonly id: string;
  /** The endpoint's id; `''` without one. */
  readonly givenId: string;
  readonly place: number;
  /** `''` until it arrives. */
  name: string;
  argumentsText: string;
  extra: Extra | null;
}

/** Assembles the calls of one streamed reply, regardless of how the endpoint numbers and names them. */
interface OpenAiCalls {
  read(piece: CallPiece): readonly ChatDelta[];
  /** Emits calls whose name never arrived. */
  end(): readonly ChatDelta[];
  readonly size: number;
  /** Endpoint-specific data of calls, by their index. */
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

/** Finds a call without an index: a piece without an id continues the call before. */
function findByGivenId(id: string | null | undefined, calls: readonly OpenCall[]): OpenCall | undefined {
  return id ? calls.find(({ givenId }) => givenId === id) : calls.at(-1);
}

/**
 * Returns true if a piece begins another call. Some endpoints give every call the index 0, or none, and no
 * id: a new id with a name begins another call, and so does another name, or the same name once the arguments
 * are complete. Other endpoints repeat id and name in every piece of one call.
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
