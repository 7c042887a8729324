import { type Answer, print } from './answer.ts';
import { runFresh } from './fresh.ts';
import { formatNumber, quantile } from './rounds.ts';

const ENDS = 1_000;
const FLOODS = 12;
const MIB = 1024 * 1024;

interface Flooded {
  readonly results: readonly { readonly tookMs: number; readonly passes: number; readonly heap: number }[];
  readonly told: number;
  readonly twice: number;
}

export async function answerFlood(): Promise<Answer> {
  const { results, told, twice } = await runFresh<Flooded>('flood', {
    input: { ends: ENDS, floods: FLOODS },
  });
  const passes = results.map((result) => result.passes);
  const heaps = results.map(({ heap }) => heap / MIB);
  // The first floods fill what is bounded: the records of finished processes, and the transcript.
  const early = quantile(heaps.slice(2, 5), 0.5);
  const late = quantile(heaps.slice(-3), 0.5);
  const tookMs = quantile(
    results.map((result) => result.tookMs),
    0.5,
  );
  return {
    question: 'What do 1 000 ends at once cost an agent?',
    measured: `${ENDS} processes of one conversation end within about a second while its model speaks; ${FLOODS} times in one program.`,
    columns: ['what', 'found'],
    rows: [
      { cells: ['time in which they ended, median', `${formatNumber(tookMs)} ms`] },
      {
        cells: ['calls of the model for them', `${Math.max(...passes)} at most`],
        goal: { text: '1', isMet: passes.every((count) => count === 1) },
      },
      {
        cells: ['ends told, and told twice', `${told} of ${ENDS * FLOODS}, ${twice}`],
        goal: { text: 'all, none', isMet: told === ENDS * FLOODS && twice === 0 },
      },
      {
        cells: [
          'live heap after floods 3–5 and after the last three',
          `${formatNumber(early)} and ${formatNumber(late)} MiB`,
        ],
        goal: { text: 'growth < 5 MiB', isMet: late - early < 5 },
      },
    ],
  };
}

if (import.meta.main) print(await answerFlood());
