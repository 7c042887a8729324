import { createSupervisor } from '../src/index.ts';
import { createScriptedBackend } from '../src/testing/index.ts';
import { type Answer, print } from './answer.ts';
import { alternate, type Contender, formatNumber, formatSpread, timeMs } from './rounds.ts';

const MIB = 1024 * 1024;
const POLLS = 10_000;
const LINE = `${'x'.repeat(79)}\n`;

/** One process whose buffer is full, and a reader that has read it all. */
function createPolled(maxBufferBytes: number) {
  const backend = createScriptedBackend();
  const supervisor = createSupervisor({ stateDirectory: false, backend, maxBufferBytes });
  const handle = supervisor.start({ command: ['chatty'], background: true });
  const run = backend.lastRun;
  const block = LINE.repeat(800);
  for (let bytes = 0; bytes < 2 * maxBufferBytes; bytes += block.length) run.print(block);
  const reader = handle.reader('poll');
  const poll = () => reader.acknowledge(reader.read());
  poll();
  const pollNews = () => {
    run.print(LINE);
    poll();
  };
  const measure = async (step: () => void) => {
    const ms = await timeMs(() => {
      for (let count = 0; count < POLLS; count += 1) step();
    });
    return (ms * 1000) / POLLS;
  };
  return { supervisor, measureNothing: () => measure(poll), measureNews: () => measure(pollNews) };
}

export async function answerPolling(): Promise<Answer> {
  const small = createPolled(MIB);
  const large = createPolled(16 * MIB);
  const compare = async (what: string, [a, b]: readonly [Contender['run'], Contender['run']]) => {
    const contenders = [
      { name: '1 MiB', run: a },
      { name: '16 MiB', run: b },
    ];
    const findings = await alternate(contenders, { rounds: 9 });
    return findings.map((finding, index) => ({
      cells: [what, finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`],
      ...(index === 1 && { goal: { text: '≤ 1.2 ×', isMet: finding.ratio <= 1.2 } }),
    }));
  };
  const rows = [
    ...(await compare('nothing', [small.measureNothing, large.measureNothing])),
    ...(await compare('one line', [small.measureNews, large.measureNews])),
  ];
  for (const { supervisor } of [small, large]) await supervisor.shutdown();
  return {
    question: 'What does it cost to poll a process with much output?',
    measured:
      'A read since the last one, 10 000 times, of a process whose buffer is full; the size of the buffer must not matter.',
    columns: ['new since the last read', 'buffer', 'µs per read', 'to the small buffer'],
    rows,
  };
}

if (import.meta.main) print(await answerPolling());
