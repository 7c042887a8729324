import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSupervisor } from '../src/index.ts';
import { type Answer, print } from './answer.ts';
import { writeManyRecords } from './many-records.ts';
import { alternate, formatNumber, formatSpread } from './rounds.ts';

const RECORDS = 1_000;
const MOST_MS = 500;

export async function answerRecovery(): Promise<Answer> {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  await writeManyRecords(join(directory, 'ended'), { count: RECORDS, as: 'ended' });
  await writeManyRecords(join(directory, 'live'), { count: RECORDS, as: 'live' });
  const recovering = (kind: string) => async () => {
    const copy = join(directory, 'copy');
    cpSync(join(directory, kind), copy, { recursive: true });
    const startMs = performance.now();
    const supervisor = createSupervisor({ stateDirectory: copy, maxBackgroundProcesses: 2_000 });
    const tookMs = performance.now() - startMs;
    const { ended, lost } = supervisor.recovered;
    if (ended + lost.length !== RECORDS) throw new Error(`found ${ended} ended and ${lost.length} lost`);
    await supervisor.shutdown();
    rmSync(copy, { recursive: true });
    return tookMs;
  };
  const findings = await alternate(
    [
      { name: `${RECORDS} that had ended`, run: recovering('ended') },
      { name: `${RECORDS} that are lost`, run: recovering('live') },
    ],
    { rounds: 15, warmUps: 2 },
  );
  rmSync(directory, { recursive: true });
  return {
    question: 'How long does recovery take?',
    measured: `Milliseconds for \`createSupervisor\` in a directory with ${RECORDS} records of a supervisor that is dead; it returns once all are taken over.`,
    columns: ['records', 'ms'],
    rows: findings.map((finding) => {
      const isMet = finding.median < MOST_MS;
      const goal = { text: `< ${formatNumber(MOST_MS)} ms`, isMet };
      return { cells: [finding.name, formatSpread(finding)], goal, ...(!isMet && { note: remains }) };
    }),
  };
}

const remains =
  'Each record is claimed before its end is known, so that no second supervisor takes it: a thousand new files, each renamed over the old one, which is more than half of the time.';

if (import.meta.main) print(await answerRecovery());
