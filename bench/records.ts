import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMemoryRecordStore,
  createSupervisor,
  type ProcessRecord,
  type Supervisor,
} from '../src/index.ts';
import { readRecord } from '../src/process/read-record.ts';
import { createFileRecordStore } from '../src/store/file-record-store.ts';
import { type Answer, print } from './answer.ts';
import { alternate, formatNumber, formatSpread, timeMs } from './rounds.ts';

const MOST_RATIO = 1.1;
const LIVES = 20;
const SAVES = 200;

/** What the command line needs of it is the same in both: only where records go differs. */
function open(directory: string, records: Parameters<typeof createSupervisor>[0]): Supervisor {
  return createSupervisor({ stateDirectory: directory, maxFinished: 100, ...records });
}

/** ms for a life of `true` in the foreground, one after another. */
function living(supervisor: Supervisor): () => Promise<number> {
  return async () => {
    const ms = await timeMs(async () => {
      for (let count = 0; count < LIVES; count += 1) {
        await supervisor.start({ command: ['true'], logFile: false }).ended;
      }
    });
    return ms / LIVES;
  };
}

/** ms for one record, written and replaced. */
function saving(directory: string, record: ProcessRecord): () => number {
  const store = createFileRecordStore<ProcessRecord>({ directory, parse: readRecord });
  return () => {
    const startMs = performance.now();
    for (let count = 0; count < SAVES; count += 1) store.save(record.view.id, record);
    return (performance.now() - startMs) / SAVES;
  };
}

export async function answerRecords(): Promise<Answer> {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const nowhere = { ...createMemoryRecordStore<ProcessRecord>(), save: () => {} };
  const kept = createMemoryRecordStore<ProcessRecord>();
  const without = open(join(directory, 'without'), { records: nowhere });
  const inFiles = open(join(directory, 'files'), {});
  const sample = open(join(directory, 'sample'), { records: kept });
  await sample.start({ command: ['true'] }).ended;
  await sample.shutdown();
  const [record] = kept.load().records;
  if (record === undefined) throw new Error('no record was written');

  const findings = await alternate(
    [
      { name: 'a life without records', run: living(without) },
      { name: 'a life with records in files', run: living(inFiles) },
      { name: 'one write of one record', run: saving(join(directory, 'store'), record) },
    ],
    { rounds: 60, warmUps: 20 },
  );
  await without.shutdown();
  await inFiles.shutdown();
  rmSync(directory, { recursive: true });
  return {
    question: 'What does a record cost?',
    measured: `Milliseconds from the start of \`true\` to its end, ${LIVES} one after another, with and without a record of each on disk; and for one atomic write of such a record.`,
    columns: ['contender', 'ms', 'ratio'],
    rows: findings.map((finding) => ({
      cells: [finding.name, formatSpread(finding), formatNumber(finding.ratio)],
      ...(finding.name === 'a life with records in files' && {
        goal: { text: `≤ ${MOST_RATIO}`, isMet: finding.ratio <= MOST_RATIO },
      }),
    })),
  };
}

if (import.meta.main) print(await answerRecords());
