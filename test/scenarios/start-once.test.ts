import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { fixtureProgram, isAlive, tempDir, waitUntil } from '../support/os.ts';

interface Program {
  readonly child: ChildProcess;
  /** The type of its result. */
  readonly type: Promise<string>;
}

/** Starts programs that, once all are up, start the same id in one directory at the same time. */
async function startTogether(
  directory: string,
  specs: readonly object[],
  count: number,
): Promise<readonly Program[]> {
  const programs = Array.from({ length: count }, () => {
    const args = [fixtureProgram('starts-once.ts'), directory, JSON.stringify(specs)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => String((await lines.next()).value);
    return { child, up: next(), next };
  });
  await Promise.all(programs.map(({ up }) => up));
  for (const { child } of programs) child.stdin.write('go\n');
  return programs.map(({ child, next }) => ({ child, type: next() }));
}

async function end(programs: readonly Program[]): Promise<void> {
  for (const { child } of programs) child.stdin?.end();
  await Promise.all(programs.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
}

async function readPid(path: string): Promise<number> {
  await waitUntil(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'));
  return Number(readFileSync(path, 'utf8'));
}

async function killProgram({ child }: Program): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('programs that start one id at the same time run its command once', async () => {
  using place = tempDir();
  const spec = { id: 'step', command: 'echo ran >> runs; exec sleep 0.3' };

  const programs = await startTogether(place.path, [spec], 3);
  const types = await Promise.all(programs.map(({ type }) => type));
  await end(programs);

  expect(readFileSync(place.file('runs'), 'utf8')).toBe('ran\n');
  expect(types).toContain('completed');
  expect(types.filter((type) => type !== 'completed' && type !== 'refused')).toEqual([]);
});

test('a persistent command with an id survives the kill of its program, and the next start adopts it', async () => {
  using place = tempDir();
  const spec = {
    id: 'long-step',
    command: 'echo ran >> runs; echo $$ > pid; until test -e go; do sleep 0.1; done; exit 7',
    lifetime: 'persistent',
    background: true,
  } as const;
  const bystander = { command: 'echo $$ > session; exec sleep 600', background: true };
  const [program] = await startTogether(place.path, [spec, bystander], 1);
  assert(program !== undefined);
  expect(await program.type).toBe('backgrounded');
  const [pid, sessionPid] = await Promise.all(['pid', 'session'].map((name) => readPid(place.file(name))));
  assert(pid !== undefined && sessionPid !== undefined);
  await killProgram(program);

  await using supervisor = createSupervisor({
    stateDirectory: place.file('state'),
    cwd: place.path,
    control: false,
  });
  const handle = supervisor.start(spec);
  // The watchdog of the killed program has done its work.
  await waitUntil(() => !isAlive(sessionPid));
  expect(isAlive(pid)).toBe(true);
  await supervisor.execute({ command: 'touch go' });

  expect(await handle.ended).toMatchObject({ status: 'failed', exit: { code: 7 } });
  expect(readFileSync(place.file('runs'), 'utf8')).toBe('ran\n');
});

test('a command whose program is killed is lost, and is not run again', async () => {
  using place = tempDir();
  const spec = { id: 'step', command: 'echo ran >> runs; echo $$ > pid; exec sleep 600' };
  const [program] = await startTogether(place.path, [spec], 1);
  assert(program !== undefined);
  const pid = await readPid(place.file('pid'));
  await killProgram(program);

  await using supervisor = createSupervisor({
    stateDirectory: place.file('state'),
    cwd: place.path,
    control: false,
  });

  expect(await supervisor.execute(spec)).toMatchObject({ type: 'lost', process: { id: 'step' } });
  await waitUntil(() => !isAlive(pid));
  expect(readFileSync(place.file('runs'), 'utf8')).toBe('ran\n');
});
