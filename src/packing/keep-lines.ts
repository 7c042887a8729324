interface LineMap {
  readonly version: number;
  readonly sources: string[];
  readonly names: string[];
  readonly mappings: string;
}

/** Returns the changed code with a source map that maps each line to itself. */
export function keepLines(code: string, id: string): { code: string; map: LineMap } {
  const mappings = code.split('\n').map((_, line) => (line === 0 ? 'AAAA' : 'AACA'));
  return { code, map: { version: 3, sources: [id], names: [], mappings: mappings.join(';') } };
}
