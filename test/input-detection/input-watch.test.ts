import { expect, test } from 'vitest';
import { InputWatch } from '../../src/input-detection/input-watch.ts';
import type { SeenInput } from '../../src/input-detection/look-for-input.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { createLog, settle } from '../readiness/rig.ts';

const line: SeenInput = { kind: 'line', certainty: 'known', prompt: 'name?' };

test('the first look comes after a moment of quiet', async () => {
  const given = arrange();

  given.print('a');
  await given.advance(200);
  given.print('b');
  await given.advance(299);
  const early = given.looks;
  await given.advance(1);

  expect([early, given.looks]).toEqual([0, 1]);
});

test('looks become ever more seldom', async () => {
  const given = arrange();
  const looksAt: number[] = [];

  for (let ms = 0; ms < 40_000; ms += 100) {
    await given.advance(100);
    if (given.looks > looksAt.length) looksAt.push(ms + 100);
  }

  expect(looksAt).toEqual([300, 1_300, 4_300, 14_300, 24_300, 34_300]);
});

test('output brings the next look near', async () => {
  const given = arrange();
  await given.advance(20_000);
  const before = given.looks;

  given.print('x');
  await given.advance(299);
  const early = given.looks;
  await given.advance(1);

  expect([early - before, given.looks - before]).toEqual([0, 1]);
});

test('a wait is reported once with the time at which it was noticed', async () => {
  const given = arrange();
  given.sees(line);

  await given.advance(300);
  await given.advance(30_000);

  expect(given.told).toEqual([{ ...line, since: given.startedAt + 300 }]);
});

test('a wait that becomes certain keeps its time', async () => {
  const given = arrange();
  given.sees({ ...line, certainty: 'hint' });
  await given.advance(300);
  given.sees(line);
  await given.advance(1_000);

  expect(given.told).toEqual([
    { ...line, certainty: 'hint', since: given.startedAt + 300 },
    { ...line, since: given.startedAt + 300 },
  ]);
});

test.each([
  ['output', (given: Given) => given.print('x')],
  ['typing', (given: Given) => given.watch.typed()],
  ['the end of the watch', (given: Given) => given.watch.cancel()],
])('%s ends a wait at once', async (_what, happens) => {
  const given = arrange();
  given.sees(line);
  await given.advance(300);

  happens(given);

  expect(given.told.at(-1)).toBeNull();
  expect(given.told).toHaveLength(2);
});

test('the end of a wait is reported even without output', async () => {
  const given = arrange();
  given.sees(line);
  await given.advance(300);

  given.sees(null);
  await given.advance(1_000);

  expect(given.told.at(-1)).toBeNull();
});

test.each([
  ['prints', (given: Given) => given.print('x')],
  ['is typed to', (given: Given) => given.watch.typed()],
  ['is no longer watched', (given: Given) => given.watch.cancel()],
])('a look does not count if the process %s meanwhile', async (_what, happens) => {
  const given = arrange();
  const { promise, resolve } = Promise.withResolvers<SeenInput>();
  given.looksWith(() => promise);
  await given.advance(300);

  happens(given);
  resolve(line);
  await settle();

  expect(given.told).toEqual([]);
});

test('a caller is answered at once', async () => {
  const given = arrange();
  given.sees(line);

  const awaited = await given.watch.look();

  expect(awaited).toEqual({ ...line, since: given.startedAt });
  expect(given.told).toEqual([awaited]);
});

test('a caller during a look gets a later look', async () => {
  const given = arrange();
  const { promise, resolve } = Promise.withResolvers<SeenInput | null>();
  given.looksWith(() => promise);
  await given.advance(300);

  const asked = given.watch.look();
  given.sees(line);
  resolve(null);

  expect(await asked).toMatchObject(line);
});

test('a caller gets another look if output arrives during the first', async () => {
  const given = arrange();
  const { promise, resolve } = Promise.withResolvers<SeenInput | null>();
  given.looksWith(() => promise);

  const asked = given.watch.look();
  await settle();
  given.print('name?');
  given.sees(line);
  resolve({ ...line, prompt: null });

  expect(await asked).toMatchObject(line);
  expect(given.told).toEqual([await asked]);
});

test.each([
  ['a waiting program', line, 5],
  ['a program that does not wait', null, 1],
])('a caller is answered if %s prints during every look', async (_, seen, looks) => {
  const given = arrange();
  given.looksWith(async () => {
    given.print('x');
    return seen;
  });

  expect(await given.watch.look()).toBeNull();
  expect([given.looks, given.told]).toEqual([looks, []]);
});

test('only a periodic look reuses what the last look saw', async () => {
  const given = arrange();
  given.sees(line);
  await given.advance(300);
  await given.advance(1_000);

  await given.watch.look();

  expect(given.befores.map((before) => before?.prompt)).toEqual([undefined, 'name?', undefined]);
});

test('a prompt may come later than the wait for its answer', async () => {
  const given = arrange({ isLogLate: true });
  given.sees({ ...line, prompt: null });

  const asked = given.watch.look();
  await settle();
  const early = given.told.length;
  given.print('name?');
  given.sees(line);
  await given.advance(250);

  expect(early).toBe(0);
  expect(await asked).toMatchObject({ prompt: 'name?' });
});

test('a caller before any output is answered a moment later', async () => {
  const given = arrange({ isLogLate: true });
  given.sees({ ...line, prompt: null });

  const first = given.watch.look();
  await settle();
  await given.advance(250);
  const again = given.watch.look();

  expect(await first).toMatchObject({ kind: 'line', prompt: null });
  expect(await again).toEqual(await first);
});

test('an ended process waits for no input', async () => {
  const given = arrange({ isLogLate: true });
  given.sees({ ...line, prompt: null });
  const asked = given.watch.look();
  await settle();

  given.watch.cancel();

  expect(await asked).toBeNull();
  expect(given.clock.pending).toBe(0);
});

test('a look that fails sees nothing', async () => {
  const given = arrange();
  given.looksWith(() => Promise.reject(new Error('too many files')));

  await given.advance(300);

  expect([given.looks, given.told]).toEqual([1, []]);
  expect(await given.watch.look()).toBeNull();
});

test('many writes cost one timer', async () => {
  const given = arrange();

  for (let ms = 0; ms < 1_000; ms += 1) {
    given.print('x');
    await given.advance(1);
  }

  expect([given.clock.pending, given.looks]).toEqual([1, 0]);
});

test('a watch leaves nothing behind', async () => {
  const given = arrange();
  await given.advance(5_000);

  given.watch.cancel();
  given.watch.cancel();
  given.print('x');

  expect(given.clock.pending).toBe(0);
  expect(await given.watch.look()).toBeNull();
  expect(given.told).toEqual([]);
});

type Given = ReturnType<typeof arrange>;

function arrange({ isLogLate = false } = {}) {
  const clock = createVirtualClock();
  const log = createLog(clock);
  const startedAt = clock.epochMs();
  const told: unknown[] = [];
  const befores: (SeenInput | null)[] = [];
  let looks = 0;
  let look = async (): Promise<SeenInput | null> => null;
  const watch = new InputWatch({
    clock,
    log,
    isLogLate,
    look: (before) => {
      looks += 1;
      befores.push(before);
      return look();
    },
    onChange: (awaited) => told.push(awaited),
  });
  return {
    clock,
    watch,
    told,
    befores,
    startedAt,
    get looks() {
      return looks;
    },
    sees: (seen: SeenInput | null) => {
      look = async () => seen;
    },
    looksWith: (how: () => Promise<SeenInput | null>) => {
      look = how;
    },
    print: (text: string) => void log.write('stdout', Buffer.from(text)),
    advance: async (ms: number) => {
      clock.advance(ms);
      await settle();
    },
  };
}
