import type { ParseRecord } from '../../src/store/record-text.ts';

/** What the store's tests keep. */
export interface Note {
  readonly version: 1;
  readonly text: string;
  readonly at?: number | null | undefined;
  readonly parts?: readonly { readonly name: string }[];
}

/** Knows version 1 only, as the real ones do. */
export const parseNote: ParseRecord<Note> = (value) => {
  const { version } = value as { version?: unknown };
  if (version === 1) return { ok: true, record: value as Note };
  return { ok: false, why: `its version is ${JSON.stringify(version)}` };
};

export function note(text: string): Note {
  return { version: 1, text };
}

/** Between 20 bytes and 40 KB, and only whole when all of it is of one save. */
export function toWholeNote(name: string, at: number): Note {
  return { version: 1, text: `${name}${at} `.repeat(1 + ((at * 997) % 4_000)), at };
}

export function isWhole({ text, at }: Note): boolean {
  const [first = ''] = text.split(' ', 1);
  const name = first.replace(/\d+$/, '');
  return text === toWholeNote(name, at ?? 0).text;
}
