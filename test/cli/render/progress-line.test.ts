import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { showProgress } from '../../../src/cli/render/progress-line.ts';
import { createVirtualClock } from '../../../src/testing/index.ts';

/** The progress on a stream of 40 columns, and what was written. */
function arrange({ isTTY = true, text = 'working' } = {}) {
  const clock = createVirtualClock();
  const written: string[] = [];
  const stderr = new Writable({
    write: (part, _, done) => {
      written.push(String(part));
      done();
    },
  });
  Object.assign(stderr, { isTTY, columns: 40 });
  const progress = showProgress({ text: () => text, io: { stderr } as never, clock });
  // Colours depend on the environment.
  return { clock, progress, rows: () => written.map((part) => part.replace(/\x1b\[\d+m/g, '')) };
}

const erase = '\r\x1b[K';

test('progress shows the whole seconds that have passed', () => {
  const { clock, progress, rows } = arrange();

  for (let step = 0; step < 4; step += 1) clock.advance(500);
  progress.end();
  clock.advance(5_000);

  expect(rows()).toEqual([`${erase}working`, `${erase}working · 1s`, `${erase}working · 2s`, erase]);
});

test('progress makes room for what is printed', () => {
  const { progress, rows } = arrange();

  let before: readonly string[] = [];
  progress.above(() => {
    before = rows();
  });

  expect(before).toEqual([`${erase}working`, erase]);
  expect(rows()).toEqual([`${erase}working`, erase, `${erase}working`]);
});

test('progress never fills the last column', () => {
  const { clock, rows } = arrange({ text: 'x'.repeat(60) });
  clock.advance(1_000);

  expect(rows()).toEqual([`${erase}${'x'.repeat(38)}…`, `${erase}${'x'.repeat(33)}… · 1s`]);
});

test('without a terminal no progress is shown', () => {
  const { clock, progress, rows } = arrange({ isTTY: false });
  let isPrinted = false;

  progress.above(() => {
    isPrinted = true;
  });
  clock.advance(5_000);
  progress.end();

  expect([rows(), isPrinted]).toEqual([[], true]);
});
