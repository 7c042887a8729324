import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { tempDir } from '../support/os.ts';
import { openRace, type Race, type RaceCall, type RaceStep } from './conversation-race.ts';
import { createFileMedium, createMemoryMedium } from './mortal-journal.ts';

const at = fc.nat(5);
const call: fc.Arbitrary<RaceCall> = fc.record({
  tool: fc.constantFrom('check', 'list', 'wait', 'kill', 'start', 'lost', 'slow'),
  at,
});
const step: fc.Arbitrary<RaceStep> = fc.oneof(
  { arbitrary: fc.constant({ type: 'say' } as const), weight: 3 },
  { arbitrary: fc.constant({ type: 'start' } as const), weight: 3 },
  { arbitrary: fc.record({ type: fc.constant('end'), at, code: fc.constantFrom(0, 1) } as const), weight: 4 },
  {
    arbitrary: fc.record({ type: fc.constant('reply'), calls: fc.array(call, { maxLength: 4 }) } as const),
    weight: 8,
  },
  {
    arbitrary: fc.record({ type: fc.constant('turn'), count: fc.integer({ min: 1, max: 3 }) } as const),
    weight: 8,
  },
  {
    arbitrary: fc.record({
      type: fc.constant('crash'),
      entries: fc.nat(3),
      share: fc.constantFrom(0, 0.1, 0.9, 1),
    } as const),
    weight: 4,
  },
  fc.record({
    type: fc.constant('notify'),
    id: fc.nat(4),
    attention: fc.constantFrom('turn', 'context'),
  } as const),
  fc.record({ type: fc.constant('fail'), isRetryable: fc.boolean() } as const),
  fc.record({ type: fc.constant('shorten'), keepMessages: fc.nat(6) } as const),
  fc.record({ type: fc.constant('advance'), ms: fc.constantFrom(100, 3_000, 60_000) } as const),
  fc.constantFrom({ type: 'interrupt' } as const, { type: 'write' } as const, { type: 'release' } as const),
  { arbitrary: fc.constant({ type: 'close' } as const), weight: 1 },
);

// Crashes are intended, and so are the warnings they cause.
beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));

/** Checks what must hold of every conversation. */
function findBrokenLaws({ arrived, told, ended, faults }: Race): readonly string[] {
  const isTold = (what: string) => told.some((each) => each.what === what);
  const notices = told.filter(({ how }) => how !== 'answer').map(({ what }) => what);
  const readOf = new Set<string>();
  const late = told.filter(({ how, what }) => {
    if (how === 'answer') readOf.add(what);
    return how === 'notice' && readOf.has(what);
  });
  const kinds = (whats: readonly string[], isMessage: boolean) =>
    whats.filter((what) => what.startsWith('message ') === isMessage);
  const order = (isMessage: boolean) =>
    kinds(arrived, isMessage)
      .filter((what) => notices.includes(what))
      .join() !== kinds(notices, isMessage).join();

  return [
    ...faults,
    ...[...arrived, ...ended].filter((what) => !isTold(what)).map((what) => `lost: ${what}`),
    ...notices.filter((what, index) => notices.indexOf(what) !== index).map((what) => `told twice: ${what}`),
    ...late.map(({ what }) => `told after it was read of: ${what}`),
    ...(order(true) ? [`messages out of order: ${kinds(notices, true)}`] : []),
    ...(order(false) ? [`notices out of order: ${kinds(notices, false)} for ${kinds(arrived, false)}`] : []),
  ];
}

test.for([
  ['in memory', 250],
  ['in a file', 150],
] as const)(
  'every event is delivered once, with a journal %s',
  { timeout: 60_000 },
  async ([kind, numRuns]) => {
    using directory = tempDir();
    let files = 0;
    const createMedium = () => {
      files += 1;
      return kind === 'in memory' ? createMemoryMedium() : createFileMedium(directory.file(`${files}.jsonl`));
    };

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40, size: 'max' }), async (steps) => {
        const race = openRace(createMedium());
        for (const each of steps) await race.step(each);
        await race.settle();
        const laws = findBrokenLaws(race);
        await race.dispose();
        expect(laws).toEqual([]);
      }),
      { numRuns },
    );
  },
);
