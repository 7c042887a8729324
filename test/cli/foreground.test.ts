import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAlive, waitUntil } from '../support/os.ts';
import { callProgram } from './call-program.ts';
import { projectDir, STARTED_WITHIN_MS, startProgram } from './program.ts';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly pid?: number | null;
  readonly answered: boolean;
}

/** A project with a scripted agent, and a second shell that inspects it. */
function project() {
  const at = projectDir();
  mkdirSync(at.file('agents'));
  writeFileSync(at.file('agents/worker.yaml'), 'name: worker\nmodel: scripted\npolicy: { mode: auto }\n');
  const elsewhere = (...args: readonly string[]) => callProgram(args, { cwd: at.path });
  const list = async (...flags: readonly string[]) =>
    JSON.parse((await elsewhere('ps', '--json', ...flags)).stdout) as readonly Listed[];
  return Object.assign(at, { elsewhere, list });
}

/** Starts it, and waits until another shell sees the process that runs for it, and can ask for it. */
async function startSeen(
  at: ReturnType<typeof project>,
  { args, input = '' }: { args: readonly string[]; input?: string },
) {
  const { child, ran } = startProgram(args, { cwd: at.path, env: at.env, input });
  const seen = await waitUntil(
    async () =>
      (await at.list()).find(
        ({ pid, status, answered }) => answered && typeof pid === 'number' && status !== 'starting',
      ),
    { withinMs: STARTED_WITHIN_MS, what: 'ps shows it' },
  );
  return { child, ran, seen, pid: seen.pid ?? 0 };
}

test.each([
  ['run', { args: ['run', '--', 'sleep', '600'] }],
  ['exec', { args: ['exec', 'worker', '--task', 'run sleep 600'] }],
  ['chat', { args: ['chat'], input: 'run sleep 600\n' }],
])('a command of %s is seen and killed from another shell', async (_verb, order) => {
  await using at = project();
  const { ran, seen, pid } = await startSeen(at, order);

  const listed = await at.elsewhere('ps');
  const killed = await at.elsewhere('kill', '-f', seen.id);

  expect(listed.stdout).toContain('sleep 600');
  expect(listed.stdout).not.toContain('does not answer');
  expect(killed).toMatchObject({ code: 0, stderr: '' });
  expect(isAlive(pid)).toBe(false);
  await ran;
  await at.gone();
});

test('a run that is killed leaves nothing but a record that says so', async () => {
  await using at = project();
  const { child, ran, seen, pid } = await startSeen(at, { args: ['run', '-c', 'sleep 600 & sleep 601'] });

  child.kill('SIGKILL');
  await ran;

  await at.gone();
  expect(isAlive(pid)).toBe(false);
  expect(await at.list('-a')).toMatchObject([{ id: seen.id, status: 'lost' }]);
});
