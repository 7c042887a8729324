import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileStore } from '../src/output/file-store.ts';
import { createOutputLog } from '../src/output/output-log.ts';
import type { Work } from '../src/spawn/backend.ts';
import { createFileBackend } from '../src/spawn/file/file-backend.ts';
import { type Answer, print } from './answer.ts';
import { alternate, formatNumber, formatSpread } from './rounds.ts';
import { backendParts, clock, runBackend } from './run-backend.ts';

const MEGABYTES = 300;
const MOST_SHARE = 0.15;
const LOG_BYTES = 64 * 1024 * 1024;

const script = `yes ${'x'.repeat(79)} | head -c ${MEGABYTES}000000`;
const work: Work = { type: 'shell', shell: '/bin/sh', script };

/** Milliseconds of a processor that this program needs, all its threads. */
async function cpuMs(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function pipeToFile(path: string): Promise<void> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const file = createWriteStream(path);
  child.stdout.pipe(file);
  await once(file, 'close');
}

export async function answerFileFlood(): Promise<Answer> {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const backend = createFileBackend(backendParts());
  let count = 0;
  const newPath = () => {
    count += 1;
    return join(directory, `${count}.log`);
  };
  const findings = await alternate(
    [
      {
        name: '`child.stdout.pipe(createWriteStream(…))`',
        run: async () => {
          const path = newPath();
          const cost = await cpuMs(() => pipeToFile(path));
          rmSync(path);
          return cost;
        },
      },
      {
        name: 'the file backend',
        run: async () => {
          const log = newPath();
          const files = { log, status: `${log}.status`, screen: `${log}.screen` };
          const store = createFileStore({
            ...{ clock, path: log, statusPath: files.status },
            ...{ maxBytes: LOG_BYTES, isOver: false },
          });
          const tailed = createOutputLog({ clock, store });
          const cost = await cpuMs(() => runBackend(backend, { work, files, log: tailed }));
          if (tailed.bytes !== MEGABYTES * 1e6) throw new Error(`${tailed.bytes} bytes arrived.`);
          await tailed.close();
          rmSync(log);
          return cost;
        },
      },
    ],
    { rounds: 7 },
  );
  rmSync(directory, { recursive: true });
  return {
    question: 'What does output cost that no program reads?',
    measured: `A child that is to outlive its supervisor writes ${MEGABYTES} MB; its log keeps 64 MiB. Processor time of the supervising program alone.`,
    columns: ['with', 'CPU ms', 'to the pipe'],
    rows: findings.map((finding) => ({
      cells: [finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`],
      ...(finding.name === 'the file backend' && {
        goal: { text: `< ${MOST_SHARE} ×`, isMet: finding.ratio < MOST_SHARE },
      }),
    })),
  };
}

if (import.meta.main) print(await answerFileFlood());
