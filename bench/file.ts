import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileStore } from '../src/output/file-store.ts';
import { createMemoryStore } from '../src/output/memory-store.ts';
import { createOutputLog } from '../src/output/output-log.ts';
import type { Work } from '../src/spawn/backend.ts';
import { createFileBackend } from '../src/spawn/file/file-backend.ts';
import { createPipeBackend } from '../src/spawn/pipe/pipe-backend.ts';
import { type Answer, print } from './answer.ts';
import { alternate, formatNumber, formatSpread, timeMs } from './rounds.ts';
import { backendParts, clock, runBackend } from './run-backend.ts';

const MOST_RATIO = 1.6;
const MIB = 1024 * 1024;

const work: Work = { type: 'argv', file: 'true', args: [] };

async function startRaw(): Promise<void> {
  const child = spawn('true', [], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const pipe of [child.stdout, child.stderr]) pipe.resume();
  await once(child, 'close');
}

export async function answerFile(): Promise<Answer> {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const parts = backendParts();
  let count = 0;
  const [pipe, file] = [createPipeBackend(parts), createFileBackend(parts)];
  const findings = await alternate(
    [
      { name: 'node:child_process', run: () => timeMs(startRaw) },
      {
        name: 'the pipe backend',
        run: () => {
          const store = createMemoryStore({ clock, maxBufferBytes: MIB, headBytes: 1024 });
          const log = createOutputLog({ clock, store });
          return timeMs(() => runBackend(pipe, { work, files: null, log }));
        },
      },
      {
        name: 'the file backend',
        run: async () => {
          count += 1;
          const files = {
            log: join(directory, `${count}.log`),
            status: join(directory, `${count}.status`),
            screen: join(directory, `${count}.screen`),
          };
          const store = createFileStore({
            ...{ clock, path: files.log, statusPath: files.status },
            ...{ maxBytes: MIB, isOver: false },
          });
          const log = createOutputLog({ clock, store });
          const tookMs = await timeMs(() => runBackend(file, { work, files, log }));
          await log.close();
          return tookMs;
        },
      },
    ],
    { rounds: 200, warmUps: 100 },
  );
  pipe.close?.();
  rmSync(directory, { recursive: true });
  return {
    question: 'What does it cost to start a process that outlives its supervisor?',
    measured:
      'From the start of `true` to the news that it has exited and no more output comes. The file backend starts a shell beside it, which records the exit code even while no supervisor runs.',
    columns: ['with', 'ms per process', 'to raw'],
    rows: findings.map((finding) => ({
      cells: [finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`],
      ...(finding.name === 'the file backend' && {
        goal: { text: `≤ ${MOST_RATIO} ×`, isMet: finding.ratio <= MOST_RATIO },
        ...(finding.ratio > MOST_RATIO && { note: remains }),
      }),
    })),
  };
}

const remains =
  'Two more programs are executed, the shell and `setsid`, which is the dearer of the two; what this program itself does on top is lost in the noise.';

if (import.meta.main) print(await answerFile());
