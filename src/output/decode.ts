/**
 * Decodes the bytes of one stream, emitting a character once its last byte has arrived. Invalid bytes become
 * U+FFFD.
 */
export interface Decoder {
  push(bytes: Uint8Array): string;
  /** Returns U+FFFD for an unfinished character, else nothing. */
  flush(): string;
}

export function createDecoder(): Decoder {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    push: (bytes) => decoder.decode(bytes, { stream: true }),
    flush: () => decoder.decode(),
  };
}

/** Returns how many bytes at the end (0 to 3) begin a character that is not complete yet. */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.byteLength); back += 1) {
    const byte = bytes[bytes.byteLength - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function sequenceLength(first: number): number {
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 1;
}

const sampleBytes = 1024;
const maxSamples = 16;
/** Text in an eight-bit encoding has a few per cent of bytes that are not UTF-8; compressed data has half. */
const binaryShare = 0.15;

/** Returns true for output that is not text, judged by up to 16 samples of 1 KiB. */
export function looksBinary(pieces: readonly Uint8Array[]): boolean {
  const step = Math.max(1, Math.ceil(pieces.length / maxSamples));
  let seen = 0;
  let strange = 0;
  for (let index = 0; index < pieces.length; index += step) {
    const sample = (pieces[index] ?? new Uint8Array(0)).subarray(0, sampleBytes);
    seen += sample.byteLength;
    strange += strangeBytes(sample);
  }
  return seen >= 16 && strange / seen > binaryShare;
}

/** Counts NULs, control characters that no terminal program writes, and bytes that are not UTF-8. */
function strangeBytes(bytes: Uint8Array): number {
  let strange = 0;
  let expected = 0;
  for (const byte of bytes) {
    const isContinuation = (byte & 0b1100_0000) === 0b1000_0000;
    if (expected > 0 && isContinuation) {
      expected -= 1;
      continue;
    }
    if (expected > 0) strange += 1;
    expected = sequenceLength(byte) - 1;
    if (byte < 0x20 ? !isTextControl(byte) : byte === 0x7f || (byte >= 0x80 && expected === 0)) strange += 1;
  }
  return strange;
}

/** Accepts BEL, BS, HT, LF, VT, FF, CR, SO, SI and ESC. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x07 && byte <= 0x0f) || byte === 0x1b;
}
