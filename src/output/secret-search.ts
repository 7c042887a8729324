/** A range of text that must not be shown. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The end of a text that could begin a secret; `known` bytes of the secret are there. */
interface PartialMatch {
  readonly bytes: number;
  readonly known: number;
}

/** A secret prepared for searching. */
export interface Needle {
  readonly bytes: Buffer;
  /** Length of the beginning that is redacted even alone. */
  readonly headBytes: number;
}

/** Shorter beginnings may be those of ordinary words. */
const minHeadCharacters = 6;

/** Creates a needle whose head is at least half of the secret. */
export function toNeedle(secret: string): Needle {
  const characters = [...secret];
  const head = characters.slice(0, Math.max(minHeadCharacters, Math.ceil(characters.length / 2)));
  return { bytes: Buffer.from(secret), headBytes: Buffer.byteLength(head.join('')) };
}

/** Searches for a secret in text that arrives in pieces. */
export interface SecretSearch {
  /** Returns all matches, including overlapping ones, and all heads as far as the secret continues. */
  findAll(text: Buffer, needle: Needle): Span[];
  partialMatchAtEnd(text: Buffer, needle: Needle): PartialMatch;
}

/**
 * Matches byte by byte; after a head the secret may continue as drawn, since the remainder would reveal the
 * rest.
 */
export const exactSearch: SecretSearch = {
  findAll: (text, needle) => {
    const head = headOf(needle);
    const found: Span[] = [];
    for (let from = text.indexOf(head); from !== -1; from = text.indexOf(head, from + 1)) {
      const bytes = commonBytes(text, { needle, from });
      const isWhole = bytes === needle.bytes.byteLength;
      found.push({ from, to: isWhole ? from + bytes : matchDrawn(text, { needle, from }).to });
    }
    return found;
  },
  partialMatchAtEnd: (text, needle) => {
    const [exact, drawn] = [exactPartialMatch(text, needle), drawnPartialMatch(text, needle)];
    return drawn.bytes > exact.bytes ? drawn : exact;
  },
};

function headOf({ bytes, headBytes }: Needle): Buffer {
  return bytes.subarray(0, headBytes);
}

function exactPartialMatch(text: Buffer, { bytes: secret }: Needle): PartialMatch {
  const first = secret[0] ?? 0;
  const earliest = Math.max(0, text.byteLength - secret.byteLength + 1);
  for (let at = text.indexOf(first, earliest); at !== -1; at = text.indexOf(first, at + 1)) {
    const bytes = text.byteLength - at;
    if (secret.compare(text, at, text.byteLength, 0, bytes) === 0) return { bytes, known: bytes };
  }
  return { bytes: 0, known: 0 };
}

function drawnPartialMatch(text: Buffer, needle: Needle): PartialMatch {
  const head = headOf(needle);
  const earliest = Math.max(0, text.byteLength - needle.bytes.byteLength - maxBetween);
  for (let at = text.indexOf(head, earliest); at !== -1; at = text.indexOf(head, at + 1)) {
    const { known, isOpen } = matchDrawn(text, { needle, from: at });
    if (isOpen) return { bytes: text.byteLength - at, known };
  }
  return { bytes: 0, known: 0 };
}

/**
 * Returns how far the secret continues from its head, in whole characters. Bisects, because the secret may
 * overlap itself at length.
 */
function commonBytes(text: Buffer, { needle, from }: { needle: Needle; from: number }): number {
  const { bytes, headBytes } = needle;
  let known = headBytes;
  let most = Math.min(bytes.byteLength, text.byteLength - from);
  let next = most;
  while (known < most) {
    const isSame = text.compare(bytes, known, next, from + known, from + next) === 0;
    if (isSame) known = next;
    else most = next - 1;
    next = Math.ceil((known + most) / 2);
  }
  while (!isBoundary(bytes, known)) known -= 1;
  return known;
}

/** Bytes that may stand between the characters of one secret. */
const maxBetween = 512;

/** Returns the maximum length of a match in bytes, however it is drawn. */
export function longestDrawn({ bytes }: Needle): number {
  return bytes.byteLength + maxBetween;
}

/**
 * Matches secrets as programs draw them on a terminal: line editors that wrap input put carriage returns and
 * control sequences between characters that appear contiguous on the screen.
 */
export const drawnSearch: SecretSearch = {
  findAll: (text, needle) => {
    const first = needle.bytes[0] ?? 0;
    const found: Span[] = [];
    for (let from = text.indexOf(first); from !== -1; from = text.indexOf(first, from + 1)) {
      const { to, seen } = matchDrawn(text, { needle, from });
      if (seen >= needle.headBytes) found.push({ from, to });
    }
    return found;
  },
  partialMatchAtEnd: (text, needle) => {
    const first = needle.bytes[0] ?? 0;
    const earliest = Math.max(0, text.byteLength - needle.bytes.byteLength - maxBetween);
    for (let at = text.indexOf(first, earliest); at !== -1; at = text.indexOf(first, at + 1)) {
      const { known, isOpen } = matchDrawn(text, { needle, from: at });
      if (isOpen) return { bytes: text.byteLength - at, known };
    }
    return { bytes: 0, known: 0 };
  },
};

interface DrawnMatch {
  /** The end of the last whole character of the secret. */
  readonly to: number;
  /** Bytes of the secret before that. */
  readonly seen: number;
  /** Bytes of the secret including those of an incomplete character. */
  readonly known: number;
  /** The text ends before the secret does. */
  readonly isOpen: boolean;
}

/** Returns how far the secret continues from there. */
function matchDrawn(text: Buffer, { needle, from }: { needle: Needle; from: number }): DrawnMatch {
  const { bytes } = needle;
  let at = from;
  let known = 0;
  let between = 0;
  let whole = { to: from, seen: 0 };
  let hasReturned = false;
  while (known < bytes.byteLength && at < text.byteLength) {
    if (text[at] === bytes[known]) {
      at += 1;
      known += 1;
      if (isBoundary(bytes, known)) whole = { to: at, seen: known };
      hasReturned = false;
      continue;
    }
    const unseen = invisibleBytes(text, at) || (hasReturned ? repeatedBytes(text, { bytes, known, at }) : 0);
    hasReturned ||= text[at] === CARRIAGE_RETURN;
    between += unseen;
    if (unseen === 0 || between > maxBetween) return { ...whole, known, isOpen: false };
    at += unseen;
  }
  return { ...whole, known, isOpen: known < bytes.byteLength };
}

/**
 * Returns the length of a redrawn last character, including bytes that have not arrived yet: after a full row
 * a line editor types the next character to make the terminal wrap, returns, and types it again.
 */
function repeatedBytes(
  text: Buffer,
  { bytes, known, at }: { bytes: Buffer; known: number; at: number },
): number {
  let start = known - 1;
  while (start > 0 && !isBoundary(bytes, start)) start -= 1;
  if (start < 0) return 0;
  const length = known - start;
  // The available part of an incomplete character.
  const here = Math.min(length, text.byteLength - at);
  return bytes.compare(text, at, at + here, start, start + here) === 0 ? length : 0;
}

/** Returns true if a UTF-8 character begins there, or the text ends. */
function isBoundary(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) !== 0x80;
}

const BELL = 0x07;
const BACKSPACE = 0x08;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const ESCAPE = 0x1b;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;

/** Other control characters move over several columns, or begin a longer sequence. */
const isInvisible = (byte: number) => (byte < SPACE && byte !== TAB && byte !== ESCAPE) || byte === DELETE;

/** Characters after ESC that begin a string: DCS, SOS, OSC, PM, APC. */
const stringStarts = new Set([...'PX]^_'].map((character) => character.charCodeAt(0)));

/** First byte of C1 controls in UTF-8; ECMA-48 has one for each `ESC @` to `ESC _`. */
const C1_LEAD = 0xc2;
const isC1 = (text: Buffer, at: number) => text[at] === C1_LEAD && ((text[at + 1] ?? 0x80) & 0xe0) === 0x80;

/** Returns how many bytes from there are not visible characters, including bytes that have not arrived yet. */
function invisibleBytes(text: Buffer, at: number): number {
  const byte = text[at] ?? 0;
  if (isInvisible(byte)) return 1;
  if (byte === SPACE) return isUndoneBlank(text, at + 1) ? 2 : 0;
  if (byte !== ESCAPE && !isC1(text, at)) return 0;
  const kind = (text[at + 1] ?? 0) - (byte === ESCAPE ? 0 : 0x40);
  return stringStarts.has(kind) ? stringBytes(text, at) : sequenceBytes(text, { at, kind });
}

/** Returns true after a blank that only wraps the cursor (followed by CR) or is taken back (followed by BS). */
function isUndoneBlank(text: Buffer, at: number): boolean {
  return at >= text.byteLength || text[at] === CARRIAGE_RETURN || text[at] === BACKSPACE;
}

/** Measures a sequence by ECMA-48: `ESC [`, parameters, a letter; or `ESC`, intermediates, a final byte. */
function sequenceBytes(text: Buffer, { at, kind }: { at: number; kind: number }): number {
  const isControl = kind === 0x5b;
  if (!isControl && text[at] === C1_LEAD) return 2;
  const [least, most] = isControl ? [0x20, 0x3f] : [0x20, 0x2f];
  let end = at + (isControl ? 2 : 1);
  while (end < text.byteLength && (text[end] ?? 0) >= least && (text[end] ?? 0) <= most) end += 1;
  return end - at + 1;
}

/** Measures a string up to BEL or `ESC \`; any other escape begins its own sequence. */
function stringBytes(text: Buffer, at: number): number {
  // Longer strings exceed the limit anyway and are not scanned.
  const last = Math.min(text.byteLength, at + maxBetween + 1);
  for (let end = at + 2; end < last; end += 1) {
    if (text[end] === BELL) return end - at + 1;
    if (text[end] !== ESCAPE) continue;
    const isOver = end + 1 >= text.byteLength || text[end + 1] === BACKSLASH;
    return end - at + (isOver ? 2 : 0);
  }
  return last - at + 1;
}
