import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readImports, rootFolder } from './source-imports.ts';

interface Stop {
  readonly file: string;
  /** Dotted names, such as `process.admit`, by which the stop sends to the next one. */
  readonly events: readonly string[];
}

interface Trip {
  readonly title: string;
  readonly stops: readonly Stop[];
}

/** Reads the numbered lists of files below the headings `### Trip: …`. */
function readTrips(text: string): readonly Trip[] {
  return [...text.matchAll(/^### Trip: (.+)\n([\s\S]*?)(?=^##)/gm)].map(([, title = '', body = '']) => ({
    title,
    stops: [...body.matchAll(/^\d+\. ((?:.+\n?)(?: {3}.+\n?)*)/gm)].map(([, item = '']) => {
      const [file = '', ...names] = [...item.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      return { file, events: names.filter((name) => /^[a-z]+(\.[a-zA-Z]+)+$/.test(name)) };
    }),
  }));
}

function imports(from: string, to: string): boolean {
  return readImports(from).some((imported) => imported.isFile && imported.to === to);
}

function names(file: string, event: string): boolean {
  return readFileSync(join(rootFolder, file), 'utf8').includes(`'${event}'`);
}

/** Says why a stop does not lead to the next one; `null` where it does. */
function findBreak(stop: Stop, next: Stop | undefined): string | null {
  if (!existsSync(join(rootFolder, stop.file))) return `${stop.file} does not exist`;
  if (next === undefined || !existsSync(join(rootFolder, next.file))) return null;
  if (imports(stop.file, next.file) || imports(next.file, stop.file)) return null;
  if (stop.events.some((event) => names(stop.file, event) && names(next.file, event))) return null;
  return `${stop.file} and ${next.file} neither import each other nor share an event that the text names`;
}

const architecture = readFileSync(join(rootFolder, 'docs/architecture.md'), 'utf8');

describe('the trips in docs/architecture.md', () => {
  const trips = readTrips(architecture);

  test('a start, a chunk, an end and a kill are described', () => {
    expect(trips.map(({ title }) => title)).toEqual(['a start', 'a chunk', 'an end', 'a kill']);
  });

  test.each(trips)('$title passes files that lead to each other', ({ stops }) => {
    expect(stops.length).toBeGreaterThan(3);
    const breaks = stops.map((stop, index) => findBreak(stop, stops[index + 1]));
    expect(breaks.filter((each) => each !== null)).toEqual([]);
  });
});

test('a trip with a missing file or a missing link is found', () => {
  const [trip] = readTrips(
    '### Trip: x\n\n1. `src/index.ts` opens.\n2. `src/nowhere.ts` is missing.\n\n## End\n',
  );
  expect(trip?.stops.map(({ file }) => file)).toEqual(['src/index.ts', 'src/nowhere.ts']);
  expect(findBreak({ file: 'src/nowhere.ts', events: [] }, undefined)).toContain('does not exist');
  expect(
    findBreak({ file: 'machines/index.ts', events: [] }, { file: 'src/cli/main.ts', events: [] }),
  ).toContain('neither import');
});
