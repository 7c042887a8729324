import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPolicy, createSupervisor } from '../src/index.ts';
import { type Answer, print } from './answer.ts';
import { alternate, formatNumber, formatSpread, timeMs } from './rounds.ts';

const run = promisify(execFile);

/** From the call to the news of the exit of `true`. */
export async function answerSandbox(): Promise<Answer> {
  const workspace = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const supervisor = createSupervisor({ stateDirectory: false, cwd: workspace });
  const policy = createPolicy({ mode: 'auto', workspace, restrictToWorkspace: true, sandbox: 'require' });
  const command = 'true';

  const findings = await alternate(
    [
      { name: 'no sandbox', run: () => timeMs(() => supervisor.execute({ command })) },
      {
        name: 'bwrap by hand',
        run: () =>
          timeMs(() =>
            run('bwrap', [
              '--ro-bind',
              '/',
              '/',
              '--dev',
              '/dev',
              '--proc',
              '/proc',
              '--unshare-all',
              'true',
            ]),
          ),
      },
      {
        name: 'sandbox of the policy',
        run: () =>
          timeMs(async () => {
            const { command: wrapped, env, ended } = await policy.prepare({ command });
            await supervisor.execute({ command, wrappedCommand: wrapped as readonly string[], env });
            ended();
          }),
      },
    ],
    { rounds: 40, warmUps: 5 },
  );
  await policy.close();
  await supervisor.shutdown();
  rmSync(workspace, { recursive: true });
  return {
    question: 'What does the sandbox cost?',
    measured:
      'From the call to the news that `true` has ended, with its output. The sandbox of the policy searches the working directory of the program for files that must stay as they are, and mounts each; its network is open. Ratios are to the first row.',
    columns: ['with', 'ms per command', 'to none'],
    rows: findings.map((finding) => ({
      cells: [finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`],
    })),
  };
}

if (import.meta.main) print(await answerSandbox());
