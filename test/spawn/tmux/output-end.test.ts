import { writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { ScreenCapture } from '../../../machines/process/terminal.ts';
import { createOutputEnd } from '../../../src/spawn/tmux/output-end.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { tempDir } from '../../support/os.ts';

/** The end of an output whose status file says what `given` says. */
function arrange() {
  const place = tempDir();
  onTestFinished(place.remove);
  const clock = createVirtualClock();
  const told: string[] = [];
  const screens: ScreenCapture[] = [];
  const given = { isDrained: false as boolean | Error, isOpen: false as boolean | Error };
  const end = createOutputEnd(
    {
      clock,
      tell: ({ type }) => void told.push(type),
      keepScreen: (screen) => void screens.push(screen),
    },
    {
      screenPath: place.file('screen'),
      isDrained: () => {
        if (given.isDrained instanceof Error) throw given.isDrained;
        return given.isDrained;
      },
      isOpen: async () => {
        if (given.isOpen instanceof Error) throw given.isOpen;
        return given.isOpen;
      },
      schedule: (pauseMs, act) => void clock.at(clock.nowMs() + pauseMs, act),
      onEnded: () => void told.push('ended'),
      reportError: (error) => void told.push(String(error)),
    },
  );
  const showLast = () => writeFileSync(place.file('screen'), 'screen 9 1 0 0 1 0 \nlast\n');
  return { end, clock, told, screens, given, showLast };
}

/** Lets time pass, with the answers of tmux that come in it. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  const stepMs = 1_000;
  for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
    clock.advance(Math.min(leftMs, stepMs));
    await setImmediate();
  }
}

test('output has ended once the tree is empty and all is written', () => {
  const { end, told, screens, given, showLast } = arrange();
  showLast();

  given.isDrained = true;
  end.look();
  expect(told).toEqual([]);
  end.treeEmptied();

  expect(told).toEqual(['output.ended', 'ended']);
  expect(screens.map(({ lines }) => lines)).toEqual([['last']]);
});

test('output that is written later ends with the next look, and once', async () => {
  const { end, clock, told, screens, given } = arrange();

  end.treeEmptied();
  end.look();
  expect(told).toEqual([]);
  given.isDrained = true;
  end.look();
  end.look();
  end.treeEmptied();
  await pass(clock, 10_000);

  expect(told).toEqual(['output.ended', 'ended']);
  expect(screens).toEqual([]);
});

test.each(['treeEmptied', 'leaderLost'] as const)(
  'output that is never written ends two seconds after %s',
  async (event) => {
    const { end, clock, told } = arrange();

    end[event]();
    await pass(clock, 1_999);
    expect(told).toEqual([]);
    await pass(clock, 1);

    expect(told).toEqual(['output.ended', 'ended']);
  },
);

test('the last screen of a terminal that closes slowly is waited for', async () => {
  const { end, clock, told, screens, given, showLast } = arrange();
  given.isOpen = true;

  end.treeEmptied();
  await pass(clock, 5_000);
  expect(told).toEqual([]);
  showLast();
  given.isOpen = false;
  await pass(clock, 1_000);

  expect(told).toEqual(['output.ended', 'ended']);
  expect(screens.map(({ lines }) => lines)).toEqual([['last']]);
});

test('output of a terminal that never closes ends after fourteen seconds', async () => {
  const { end, clock, told, given } = arrange();
  given.isOpen = true;

  end.treeEmptied();
  await pass(clock, 11_999);
  expect(told).toEqual([]);
  await pass(clock, 2_001);

  expect(told).toEqual(['output.ended', 'ended']);
});

test('a tmux that does not answer is reported, and not waited for', async () => {
  const { end, clock, told, given } = arrange();
  given.isOpen = new Error('no answer');

  end.treeEmptied();
  await pass(clock, 2_000);

  expect(told).toEqual(['Error: no answer', 'output.ended', 'ended']);
});

test('a tree that is empty twice is empty since the first time', async () => {
  const { end, clock, told } = arrange();

  end.treeEmptied();
  await pass(clock, 1_000);
  end.treeEmptied();
  await pass(clock, 1_000);

  expect(told).toEqual(['output.ended', 'ended']);
});

test('a status file that cannot be read is reported, and says nothing', () => {
  const { end, told, given } = arrange();
  given.isDrained = new Error('too many files');

  end.treeEmptied();

  expect(told).toEqual(['Error: too many files']);
  expect(end.isOutputComplete()).toBe(false);
});

test('output is complete once it is written, or two seconds after the first question', () => {
  const { end, clock, given } = arrange();

  expect(end.isOutputComplete()).toBe(false);
  given.isDrained = true;
  expect(end.isOutputComplete()).toBe(true);
  given.isDrained = false;
  clock.advance(1_999);
  expect(end.isOutputComplete()).toBe(false);
  clock.advance(1);

  expect(end.isOutputComplete()).toBe(true);
});

test('ended output is complete', async () => {
  const { end, clock } = arrange();

  end.leaderLost();
  await pass(clock, 2_000);

  expect(end.isOutputComplete()).toBe(true);
});
