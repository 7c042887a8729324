import { expect, test } from 'vitest';
import { watchQuiet } from '../../src/spawn/watch-quiet.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

/** Watches an output that is played. */
function arrange({ canReport = (): boolean => true, lastWriteAtMs = -1_000 } = {}) {
  const clock = createVirtualClock();
  const output = {
    ...{ isBackpressured: false, lastWriteAtMs: clock.nowMs() + lastWriteAtMs },
    ...{ write: () => true, whenWritable: () => {}, bytes: 0 },
  };
  let quiet = 0;
  const cancel = watchQuiet({
    ...{ clock, output, canReport, quietMs: 100 },
    onQuiet: () => {
      quiet += 1;
    },
  });
  const write = () => {
    output.lastWriteAtMs = clock.nowMs();
  };
  return { clock, output, cancel, write, quiet: () => quiet };
}

test('an output without a byte is quiet after the pause, and once', () => {
  const { clock, quiet } = arrange();

  clock.advance(99);
  expect(quiet()).toBe(0);
  clock.advance(1);
  expect(quiet()).toBe(1);
  clock.advance(1_000);

  expect(quiet()).toBe(1);
});

test('the pause begins with the last byte', () => {
  const { clock, quiet, write } = arrange();

  clock.advance(60);
  write();
  clock.advance(99);
  expect(quiet()).toBe(0);
  clock.advance(1);

  expect(quiet()).toBe(1);
});

test('bytes before the watch do not shorten it', () => {
  const { clock, quiet } = arrange({ lastWriteAtMs: -50 });

  clock.advance(99);
  expect(quiet()).toBe(0);
  clock.advance(1);

  expect(quiet()).toBe(1);
});

test('an output that is held back is not quiet', () => {
  const { clock, output, quiet } = arrange();

  output.isBackpressured = true;
  clock.advance(150);
  output.isBackpressured = false;
  clock.advance(49);
  expect(quiet()).toBe(0);
  clock.advance(1);

  expect(quiet()).toBe(1);
});

test('a quiet output waits until it may be reported', () => {
  let mayReport = false;
  const { clock, quiet } = arrange({ canReport: () => mayReport });

  clock.advance(110);
  mayReport = true;
  clock.advance(14);
  expect(quiet()).toBe(0);
  clock.advance(1);

  expect(quiet()).toBe(1);
});

test('a cancelled watch reports nothing, also after a look', () => {
  const given = arrange();

  given.clock.advance(50);
  given.write();
  given.clock.advance(60);
  given.cancel();
  given.clock.advance(1_000);

  expect(given.quiet()).toBe(0);
});
