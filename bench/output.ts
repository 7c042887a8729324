import { type Answer, print, type Row } from './answer.ts';
import { runFresh } from './fresh.ts';
import type { SwallowInput, SwallowResult } from './programs/swallow-output.ts';
import { alternate, formatNumber, quantile } from './rounds.ts';

type Way = SwallowInput['way'];

const GB = 1_000_000_000;
const LINE = 'x'.repeat(79);

const sources = [
  { name: '2 GB of zeros', bytes: 2 * GB, script: `head -c ${2 * GB} /dev/zero` },
  { name: '½ GB of lines', bytes: GB / 2, script: `yes ${LINE} | head -c ${GB / 2}` },
];

const ways: readonly { readonly way: Way; readonly name: string; readonly leastShare?: number }[] = [
  { way: 'data', name: 'node:child_process, `data`' },
  { way: 'ring', name: 'troupe, no log file', leastShare: 0.9 },
  { way: 'log', name: 'troupe, log file', leastShare: 0.6 },
  { way: 'lines', name: 'troupe, no log file, a subscriber to `lines$`', leastShare: 0.85 },
  { way: 'file', name: 'the child writes to a file' },
];

export async function answerOutput(): Promise<Answer> {
  const rows: Row[] = [];
  for (const source of sources) {
    const results = new Map<Way, SwallowResult[]>(ways.map(({ way }) => [way, []]));
    const asked = ways.filter(({ way }) => way !== 'lines' || source.script.startsWith('yes'));
    const findings = await alternate(
      asked.map(({ way, name }) => ({
        name,
        run: async () => {
          const { bytes, script } = source;
          const result = await runFresh<SwallowResult>('swallow-output', {
            input: { way, script, bytes } satisfies SwallowInput,
          });
          results.get(way)?.push(result);
          return bytes / 1e6 / result.megabytesPerSecond;
        },
      })),
      { rounds: 3, warmUps: 0 },
    );
    const rawRssMb = middleOf(results.get('data') ?? [], rssMbOf);
    rows.push(
      ...asked.map((asking, index) => {
        const ratio = findings[index]?.ratio ?? Number.NaN;
        return toRow({
          ...asking,
          source: source.name,
          share: 1 / ratio,
          rawRssMb,
          results: results.get(asking.way) ?? [],
        });
      }),
    );
  }
  return {
    question: 'What does it cost to take in very much output?',
    measured:
      'One child that prints as fast as it can; each figure from a program of its own. Raw reading grows too, since the chunks it has let go wait for the collector. The buffer keeps 1 MiB, the log file 64 MiB.',
    columns: ['output', 'taken by', 'MB/s', 'of raw', 'CPU s/GB', 'more memory', 'event loop held up, p99'],
    rows,
  };
}

interface Taken {
  readonly way: Way;
  readonly name: string;
  readonly leastShare?: number;
  readonly source: string;
  /** Of the raw speed. */
  readonly share: number;
  readonly rawRssMb: number;
  readonly results: readonly SwallowResult[];
}

function toRow({ way, name, leastShare, source, share, rawRssMb, results }: Taken): Row {
  const rssMb = middleOf(results, rssMbOf);
  const delayMs = middleOf(results, ({ delayP99Ms }) => delayP99Ms);
  const speed = middleOf(results, ({ megabytesPerSecond }) => megabytesPerSecond);
  const cells = [
    source,
    name,
    formatNumber(speed),
    formatNumber(share),
    formatNumber(middleOf(results, ({ cpuSecondsPerGb }) => cpuSecondsPerGb)),
    `${formatNumber(rssMb)} MB`,
    `${formatNumber(delayMs)} ms`,
  ];
  if (!name.startsWith('troupe')) return { cells };
  const isMet = share >= (leastShare ?? 0) && rssMb - rawRssMb < 40 && delayMs < 20;
  const text = `${leastShare === undefined ? '' : `≥ ${leastShare} of raw, `}< 40 MB above raw, < 20 ms`;
  return { cells, goal: { text, isMet }, ...(!isMet && notes[way] !== undefined && { note: notes[way] }) };
}

const notes: { readonly [W in Way]?: string } = {
  ring: 'With two cores for child and reader the speed varies much from round to round; the CPU time varies little.',
  log: 'Writing is the larger part of the CPU time, half of it in the kernel, and has to share two cores with child and reader.',
  lines:
    'Each line is a string and a call. The memory is V8’s young generation: with `--max-semi-space-size=2` it is below raw.',
};

const rssMbOf = ({ rssGrowthBytes }: SwallowResult) => rssGrowthBytes / 1e6;

function middleOf(results: readonly SwallowResult[], of: (result: SwallowResult) => number): number {
  return quantile(results.map(of), 0.5);
}

if (import.meta.main) print(await answerOutput());
