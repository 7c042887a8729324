import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMutants, type Mutant, parses } from './find-mutants.ts';

export interface Draw {
  readonly root: string;
  /** Paths from the root of the repository. */
  readonly files: readonly string[];
  readonly count: number;
  readonly seed: number;
}

/** Draws lines at random, each at most once, and on each one mutant; lines on which no mutator applies are drawn again. */
export async function drawMutants({ root, files, count, seed }: Draw): Promise<readonly Mutant[]> {
  const random = createRandom(seed);
  const lines = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return text.split('\n').map((_, index) => ({ file, line: index + 1 }));
  });
  const known = new Map<string, readonly Mutant[]>();
  const drawn: Mutant[] = [];
  while (drawn.length < count && lines.length > 0) {
    const [place] = lines.splice(Math.floor(random() * lines.length), 1);
    if (place === undefined) break;
    const ofFile = known.get(place.file) ?? (await findMutants(root, place.file));
    known.set(place.file, ofFile);
    const here = ofFile.filter(({ line }) => line === place.line);
    const mutant = here[Math.floor(random() * here.length)];
    if (mutant !== undefined && parses(mutant)) drawn.push(mutant);
  }
  return drawn;
}

/** Returns the same numbers from 0 to 1 for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
