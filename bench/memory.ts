import { type Answer, print } from './answer.ts';
import { runFresh } from './fresh.ts';
import type { HoldLiveInput } from './programs/hold-live.ts';
import type { KeepFinishedInput } from './programs/keep-finished.ts';
import { alternate, type Finding, find } from './rounds.ts';

const KIB = 1024;
const LIVE = 1_000;
const FINISHED = 10_000;
const FINISHED_PROGRAMS = 1_000;

const live = (by: HoldLiveInput['by']) => () =>
  runFresh<number>('hold-live', { input: { by, count: LIVE } satisfies HoldLiveInput });

const finished = (input: KeepFinishedInput) => () => runFresh<number>('keep-finished', { input });

export async function answerMemory(): Promise<Answer> {
  const lives = await alternate(
    [
      { name: 'raw', run: live('raw') },
      { name: 'troupe', run: live('troupe') },
    ],
    { rounds: 1, warmUps: 0 },
  );
  const records = await alternate(
    [
      { name: 'none', run: finished({ kept: false, count: FINISHED, backend: 'scripted' }) },
      { name: 'kept', run: finished({ kept: true, count: FINISHED, backend: 'scripted' }) },
      {
        name: 'no programs',
        run: finished({ kept: false, count: FINISHED_PROGRAMS, backend: 'pipe' }),
      },
      { name: 'programs', run: finished({ kept: true, count: FINISHED_PROGRAMS, backend: 'pipe' }) },
    ],
    { rounds: 1, warmUps: 0 },
  );
  const aboveRaw = find(lives, 'troupe').median - find(lives, 'raw').median;
  const underLimit = (kept: string, none: string) => {
    const isMet = find(records, kept).median - find(records, none).median <= 4 * KIB;
    return { goal: { text: '≤ 4 KiB above none', isMet }, ...(!isMet && { note: notes.finished }) };
  };
  return {
    question: 'How much memory does a process cost?',
    measured:
      'Heap and memory beside it after collection, in a program of its own for each figure: live processes that sleep, and ' +
      'what is kept of finished ones that printed nothing.',
    columns: ['what', 'with', 'KiB each'],
    rows: [
      { cells: [`${LIVE} alive`, 'node:child_process', toKib(find(lives, 'raw'))] },
      {
        cells: [`${LIVE} alive`, 'troupe', toKib(find(lives, 'troupe'))],
        goal: { text: '≤ 25 KiB above raw', isMet: aboveRaw <= 25 * KIB },
        ...(aboveRaw > 25 * KIB && { note: notes.live }),
      },
      { cells: [`${FINISHED} finished, scripted`, 'none kept', toKib(find(records, 'none'))] },
      {
        cells: [`${FINISHED} finished, scripted`, 'all kept', toKib(find(records, 'kept'))],
        ...underLimit('kept', 'none'),
      },
      {
        cells: [`${FINISHED_PROGRAMS} finished programs`, 'none kept', toKib(find(records, 'no programs'))],
      },
      {
        cells: [`${FINISHED_PROGRAMS} finished programs`, 'all kept', toKib(find(records, 'programs'))],
        ...underLimit('programs', 'no programs'),
      },
    ],
  };
}

const notes = {
  live: 'The actor of a live process, its timers, its streams and what finds its tree are some 250 objects.',
  finished:
    'A process keeps its services after its end: plan, timeline, view, orders, and an empty output log. Together they are some thirty objects.',
};

/** Without a spread: from one program to the next it differs by less than 0.05 KiB. */
function toKib({ median }: Finding): string {
  return (median / KIB).toFixed(2);
}

if (import.meta.main) print(await answerMemory());
