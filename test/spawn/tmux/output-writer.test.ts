import { expect, test } from 'vitest';
import { isInstalled } from '../../support/installed.ts';
import { waitUntil } from '../../support/os.ts';
import { createStage, shell } from './arrange.ts';

test.skipIf(!isInstalled('tmux'))('output continues after its writer was killed', async () => {
  const stage = createStage();
  const run = stage.run(shell('echo first; read -r line; echo "second $line"; read -r line; echo third'));
  const write = (data: string) =>
    run.ask((reply) => ({ type: 'process.write', data: Buffer.from(data), reply }));
  const takers = () => Array.from(run.status().matchAll(/^pipe 1 (\d+)$/gm), ([, pid]) => Number(pid));
  const killTaker = (count: number) =>
    waitUntil(() => takers().length === count && process.kill(takers().at(-1) ?? 0, 'SIGKILL'));
  await waitUntil(() => run.printed().includes('first'));

  await killTaker(1);
  await write('line\n');
  await waitUntil(() => run.printed().includes('second line'));
  await killTaker(2);
  await write('\n');
  await run.fact('output.ended');

  expect(run.printed()).toContain('third');
  expect(run.status().match(/^drained 1$/gm)).toHaveLength(1);
});
