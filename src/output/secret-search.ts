/** A place in a text that is not to be shown. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The end of a text that could be the beginning of a secret; `known` bytes of the secret are there. */
export interface OpenEnd {
  readonly bytes: number;
  readonly known: number;
}

/** A way to look for a secret in a text that comes in pieces. */
export interface SecretSearch {
  /** All matches, also those that overlap. */
  findAll(text: Buffer, needle: Buffer): Span[];
  openEnd(text: Buffer, needle: Buffer): OpenEnd;
}

/** Byte by byte. */
export const exactSearch: SecretSearch = {
  findAll: (text, needle) => {
    const found: Span[] = [];
    for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + 1)) {
      found.push({ from, to: from + needle.byteLength });
    }
    return found;
  },
  openEnd: (text, needle) => {
    const first = needle[0] ?? 0;
    const earliest = Math.max(0, text.byteLength - needle.byteLength + 1);
    for (let at = text.indexOf(first, earliest); at !== -1; at = text.indexOf(first, at + 1)) {
      const bytes = text.byteLength - at;
      if (needle.compare(text, at, text.byteLength, 0, bytes) === 0) return { bytes, known: bytes };
    }
    return { bytes: 0, known: 0 };
  },
};

/** How much may stand between the characters of one secret. */
const maxBetween = 512;

/**
 * As programs draw on a terminal: a line editor that wraps what is typed puts carriage returns and control sequences between the
 * characters, and they look as one on the screen.
 */
export const drawnSearch: SecretSearch = {
  findAll: (text, needle) => {
    const found: Span[] = [];
    for (
      let from = text.indexOf(needle[0] ?? 0);
      from !== -1;
      from = text.indexOf(needle[0] ?? 0, from + 1)
    ) {
      const match = follow(text, { needle, from });
      if (match !== null && match.known === needle.byteLength) found.push({ from, to: match.to });
    }
    return found;
  },
  openEnd: (text, needle) => {
    const first = needle[0] ?? 0;
    const earliest = Math.max(0, text.byteLength - needle.byteLength - maxBetween);
    for (let at = text.indexOf(first, earliest); at !== -1; at = text.indexOf(first, at + 1)) {
      const match = follow(text, { needle, from: at });
      if (match !== null && match.known < needle.byteLength)
        return { bytes: text.byteLength - at, known: match.known };
    }
    return { bytes: 0, known: 0 };
  },
};

/** How far the secret goes on from there; `null` where it does not. Known in part only where the text ends before the secret does. */
function follow(
  text: Buffer,
  { needle, from }: { needle: Buffer; from: number },
): { to: number; known: number } | null {
  let to = from;
  let known = 0;
  while (known < needle.byteLength && to < text.byteLength) {
    if (text[to] === needle[known]) {
      known += 1;
      to += 1;
      continue;
    }
    const bytes = unseenBytes(text, to);
    if (bytes === 0 || to - from > needle.byteLength + maxBetween) return null;
    to += bytes;
  }
  return { to: Math.min(to, text.byteLength), known };
}

const ESCAPE = 0x1b;
const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;
const unseen = new Set([0x00, 0x08, 0x0a, CARRIAGE_RETURN]);

/** How many bytes from there on are no characters of their own; reaches beyond the end where they are not all here yet. */
function unseenBytes(text: Buffer, at: number): number {
  const byte = text[at] ?? 0;
  if (unseen.has(byte)) return 1;
  // A blank and a carriage return take the cursor to the next row.
  if (byte === SPACE) return at + 1 >= text.byteLength || text[at + 1] === CARRIAGE_RETURN ? 2 : 0;
  return byte === ESCAPE ? sequenceBytes(text, at) : 0;
}

/** ECMA-48: `ESC [`, parameters, a letter; or `ESC`, intermediates, a final byte. */
function sequenceBytes(text: Buffer, at: number): number {
  const isControl = text[at + 1] === 0x5b;
  const [least, most] = isControl ? [0x20, 0x3f] : [0x20, 0x2f];
  let end = at + (isControl ? 2 : 1);
  while (end < text.byteLength && (text[end] ?? 0) >= least && (text[end] ?? 0) <= most) end += 1;
  return end - at + 1;
}
