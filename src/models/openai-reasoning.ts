import type { ProviderData } from './chat-model.ts';
import type { ChatPiece } from './openai-chunk.ts';

type Detail = Readonly<Record<string, unknown>>;

/** Collects the thoughts of a reply, which some endpoints expect back with its calls. */
export function createReasoning(): {
  read(piece: ChatPiece): void;
  toProviderData(reply: { model: string; extras: Readonly<Record<string, Detail>> }): ProviderData | null;
} {
  let content = '';
  const details: Detail[] = [];
  return {
    read: (piece) => {
      content += piece.reasoning_content ?? '';
      for (const detail of piece.reasoning_details ?? []) addDetail(detail, details);
    },
    toProviderData: ({ model, extras }) => {
      const kept = {
        ...(content !== '' && { reasoning_content: content }),
        ...(details.length > 0 && { reasoning_details: details }),
        ...(Object.keys(extras).length > 0 && { extras }),
      };
      return Object.keys(kept).length === 0 ? null : { from: 'openai', model, ...kept };
    },
  };
}

/** Joins consecutive pieces of one detail, which have the same index and type. */
function addDetail(detail: Detail, details: Detail[]): void {
  const last = details.at(-1);
  if (last === undefined || last['index'] !== detail['index'] || last['type'] !== detail['type']) {
    details.push(detail);
    return;
  }
  const joined: Record<string, unknown> = { ...last };
  for (const [key, value] of Object.entries(detail)) {
    const isText = (key === 'text' || key === 'summary') && typeof joined[key] === 'string';
    if (value != null) joined[key] = isText ? `${joined[key]}${value}` : value;
  }
  details[details.length - 1] = joined;
}

/** Returns the thoughts for a message with calls, except those of another model. */
export function fromProviderData(
  data: ProviderData | undefined,
  model: string,
): {
  readonly message: Readonly<Record<string, unknown>>;
  extraOf(place: number): Readonly<Record<string, unknown>>;
} {
  if (data?.['from'] !== 'openai' || data['model'] !== model) return { message: {}, extraOf: () => ({}) };
  const { reasoning_content, reasoning_details, extras } = data as Readonly<Record<string, unknown>>;
  return {
    message: {
      ...(reasoning_content !== undefined && { reasoning_content }),
      ...(reasoning_details !== undefined && { reasoning_details }),
    },
    extraOf: (place) => {
      const extra = (extras as Record<string, unknown> | undefined)?.[String(place)];
      return extra === undefined ? {} : { extra_content: extra };
    },
  };
}
