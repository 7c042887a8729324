const NEWLINE = 10;

/** Puts bytes together to lines again, wherever they were cut. */
export interface LineReader {
  /** The lines that these bytes complete, without their line feeds; `null` once a line is longer than allowed. */
  push(chunk: Uint8Array): readonly Uint8Array[] | null;
}

export function createLineReader(maxBytes: number): LineReader {
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const take = (rest: Uint8Array): Uint8Array => {
    if (held.length === 0) return rest;
    const line = Buffer.concat([...held, rest]);
    held = [];
    heldBytes = 0;
    return line;
  };

  return {
    push: (chunk) => {
      const lines: Uint8Array[] = [];
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        if (heldBytes + end - from > maxBytes) return null;
        lines.push(take(chunk.subarray(from, end)));
        from = end + 1;
      }
      if (from < chunk.byteLength) {
        held.push(chunk.subarray(from));
        heldBytes += chunk.byteLength - from;
      }
      return heldBytes > maxBytes ? null : lines;
    },
  };
}
