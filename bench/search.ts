import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toGapLine } from '../src/output/log-map.ts';
import { type Answer, print } from './answer.ts';
import { writeManyRecords } from './many-records.ts';
import { alternate, formatNumber, formatSpread, timeMs } from './rounds.ts';

const MB = 1_000_000;
/** From before searches were linear and holes were known. */
const remarks: Readonly<Record<string, string>> = {
  'one line of 30 MB': 'It was 13 s, and grew with the square of the length.',
  '300 MB at a cap of 12 MB': 'It was 113 s, with all NUL bytes as one line.',
};
const program = join(import.meta.dirname, '../dist/src/cli/main.js');
const id = 'tool_00000000';

const logs: Readonly<Record<string, (path: string) => void>> = {
  '300 MB of lines': (path) => fill(path, `yes ${'x'.repeat(79)} | head -c ${300 * MB}`),
  'one line of 30 MB': (path) => fill(path, `head -c ${30 * MB} /dev/zero | tr '\\0' x`),
  '300 MB at a cap of 12 MB': (path) => {
    fill(path, `yes ${'x'.repeat(79)} | head -c ${4 * MB}`);
    truncateSync(path, 292 * MB);
    execFileSync('sh', ['-c', `yes ${'x'.repeat(79)} | head -c ${8 * MB} >> "$0"`, path]);
    writeFileSync(path.replace(/log$/, 'status'), toGapLine({ from: 4 * MB, to: 292 * MB }));
  },
};

function fill(path: string, command: string): void {
  execFileSync('sh', ['-c', `${command} > "$0"`, path]);
}

function running(command: readonly [string, ...string[]], cwd: string): () => Promise<number> {
  const [file, ...args] = command;
  return () =>
    timeMs(() => {
      const { status, stdout } = spawnSync(file, args, { cwd, encoding: 'utf8' });
      if (status === null || status > 1 || stdout !== '') throw new Error(`${file} ended with ${status}`);
    });
}

export async function answerSearch(): Promise<Answer> {
  if (!existsSync(program))
    throw new Error(`There is no ${program}: run \`npm run build\` first; \`npm run bench\` does.`);
  const directory = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const processes = join(directory, '.troupe/processes');
  await writeManyRecords(join(directory, '.troupe'), { count: 1, as: 'ended' });
  for (const name of readdirSync(processes)) if (!name.startsWith(id)) rmSync(join(processes, name));
  const path = join(processes, `${id}.log`);
  const rows: Answer['rows'][number][] = [];
  for (const [log, write] of Object.entries(logs)) {
    write(path);
    const findings = await alternate(
      [
        { name: '`grep`', run: running(['grep', '-a', 'nothing', path], directory) },
        {
          name: '`troupe logs --grep`',
          run: running([process.execPath, program, 'logs', '--grep', 'nothing', id], directory),
        },
      ],
      { rounds: 5 },
    );
    for (const finding of findings)
      rows.push({
        cells: [log, finding.name, formatSpread(finding), formatNumber(finding.ratio)],
        ...(finding.name.includes('troupe') && log in remarks && { note: remarks[log] }),
      });
  }
  rmSync(directory, { recursive: true });
  return {
    question: 'How long does it take to search a long log?',
    measured:
      'Milliseconds from the start of the program to its end, for a text that is not there, in the log of a process that has ended and whose supervisor is gone. `grep` also reads what the hole of a capped log looks like, NUL bytes.',
    columns: ['log', 'program', 'ms', 'ratio'],
    rows,
  };
}

if (import.meta.main) print(await answerSearch());
