import type { ChatDelta, ChatMessage } from './chat-model.ts';
import type { CallPiece } from './openai-chunk.ts';
import { createCallIds } from './unique-call-ids.ts';

type Extra = Readonly<Record<string, unknown>>;

interface OpenCall {
  readonly id: string;
  /** As the endpoint calls it; `''` where it does not. */
  readonly givenId: string;
  readonly place: number;
  isNamed: boolean;
  /** Arguments that came before the name. */
  early: string;
  extra: Extra | null;
}

/** Puts together the calls of one streamed reply, whatever the endpoint numbers and names of them. */
export interface OpenAiCalls {
  read(piece: CallPiece): readonly ChatDelta[];
  /** What waits for a name that did not come. */
  end(): readonly ChatDelta[];
  readonly size: number;
  /** What belongs to a call and is nobody's but the endpoint's, by the call's place. */
  readonly extras: Readonly<Record<string, Extra>>;
}

export function createOpenAiCalls(messages: readonly ChatMessage[]): OpenAiCalls {
  const toId = createCallIds(messages);
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();

  const begin = (givenId: string): OpenCall => {
    const call = {
      id: toId(givenId),
      givenId,
      place: calls.length,
      isNamed: false,
      early: '',
      extra: null,
    };
    calls.push(call);
    return call;
  };

  const find = ({ index, id, function: called }: CallPiece): OpenCall => {
    const known = index == null ? findByGivenId(id, calls) : byIndex.get(index);
    // Some endpoints give every call the index 0: another id with another name is another call.
    const isAnother = known?.isNamed && id && called?.name && id !== known.givenId;
    const call = known === undefined || isAnother ? begin(id ?? '') : known;
    if (index != null) byIndex.set(index, call);
    return call;
  };

  return {
    read: (piece) => {
      const call = find(piece);
      call.extra = piece.extra_content ?? call.extra;
      const text = toText(piece.function?.arguments);
      const name = piece.function?.name;
      if (call.isNamed) return text === '' ? [] : [{ type: 'toolCall', id: call.id, argumentsText: text }];
      call.early += text;
      if (!name) return [];
      call.isNamed = true;
      return [{ type: 'toolCall', id: call.id, name, argumentsText: call.early }];
    },
    end: () =>
      calls
        .filter(({ isNamed }) => !isNamed)
        .map(({ id, early }) => ({ type: 'toolCall', id, argumentsText: early })),
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

function toText(given: string | Readonly<Record<string, unknown>> | null | undefined): string {
  return typeof given === 'object' && given !== null ? JSON.stringify(given) : (given ?? '');
}
