import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { readStatus } from '../../../src/spawn/file/status-file.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { identify } from '../../../src/spawn/tree/identity.ts';
import { endBy } from '../../support/orders.ts';
import { carriers, fixtureProgram, isAlive, startTicksOf, waitUntil } from '../../support/os.ts';
import { createStage, type FileRequest, shell } from './arrange.ts';

type Stage = ReturnType<typeof createStage>;

/** Starts a program that starts `script` and is killed by SIGKILL, `afterMs` after it began or once the start is known. */
async function startAndDie(
  stage: Stage,
  script: string,
  afterMs: number | 'spawned' = 'spawned',
): Promise<FileRequest> {
  const request = stage.createRequest(shell(script));
  const host = spawn(
    process.execPath,
    [fixtureProgram('file-backend-host.ts'), request.id, stage.directory, script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  host.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const ended = new Promise((resolve) => host.once('exit', resolve));
  onTestFinished(() => void host.kill('SIGKILL'));
  const sign = afterMs === 'spawned' ? 'spawned' : 'starting';
  while (!said.includes(sign)) await new Promise((resolve) => host.stdout.once('data', resolve));
  if (afterMs !== 'spawned') for (const dueMs = performance.now() + afterMs; performance.now() < dueMs; );
  host.kill('SIGKILL');
  await ended;
  return request;
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');

test('a killed supervisor leaves its process running, and the exit code is recorded', async () => {
  const stage = createStage();
  const request = await startAndDie(stage, 'sleep 0.4; echo on my own; exit 23');

  const adopted = stage.adopt(request);

  expect((await adopted.fact('process.exited')).exit).toEqual({ code: 23, signal: null });
  expect(adopted.types.slice(0, 2)).toEqual(['process.adopted', 'process.exited']);
  await adopted.fact('output.ended');
  expect(adopted.printed()).toBe('on my own\n');
});

test('a process that ended meanwhile is adopted with its exit', async () => {
  const stage = createStage();
  const request = await startAndDie(stage, 'kill -TERM $$');
  await waitUntil(() => carriers(`/${request.id}/`).length === 0, { what: 'it has ended' });

  const adopted = stage.adopt(request);

  expect((await adopted.fact('process.exited')).exit).toEqual({ code: null, signal: 'SIGTERM' });
  await adopted.fact('output.ended');
  expect(adopted.types).toEqual(['process.adopted', 'process.exited', 'output.ended']);
});

test('an adopted process is signalled with its tree', async () => {
  const stage = createStage();
  const request = await startAndDie(stage, 'setsid sleep 60 & sleep 60');
  const adopted = stage.adopt(request);
  const { pid } = await adopted.fact('process.adopted');
  expect(isAlive(pid ?? 0)).toBe(true);

  adopted.send(endBy('SIGTERM'));

  expect((await adopted.fact('process.exited')).exit.signal).toBe('SIGTERM');
  await adopted.fact('tree.gone');
  await waitUntil(() => carriers(`/${request.id}/`).length === 0, { what: 'launcher and tree are gone' });
});

test('an adopted process keeps the start time of its record', async () => {
  const stage = createStage();
  const request = await startAndDie(stage, 'exec sleep 60');

  const { startedAtMs } = await stage.adopt(request, { startedAtMs: -5_000 }).fact('process.adopted');

  expect(startedAtMs).toBe(-5_000);
});

test('a write to an adopted process is refused with a reason', async () => {
  const stage = createStage();
  const adopted = stage.adopt(await startAndDie(stage, 'exec sleep 60'));
  await adopted.fact('process.adopted');

  const answer = await adopted.ask((reply) => ({ type: 'process.write', data: Buffer.from('x'), reply }));

  expect(answer).toMatchObject({ ok: false, code: 'closed' });
  expect('error' in answer && answer.error).toContain('ended with the supervisor');
});

test('a process that never started is lost with a reason', async () => {
  const stage = createStage();

  const { why } = await stage.adopt(stage.createRequest(shell('true'))).fact('process.lost');

  expect(why).toBe('it had not been started when its supervisor ended');
});

test('a process that ended with its launcher is lost', async () => {
  const stage = createStage();
  const request = await startAndDie(stage, 'exec sleep 60');
  const { launcher, leader } = stage.adopt(request).status();
  process.kill(launcher ?? 0, 'SIGKILL');
  process.kill(leader?.pid ?? 0, 'SIGKILL');
  await waitUntil(() => carriers(`/${request.id}/`).length === 0, { what: 'both are gone' });

  const { why } = await stage.adopt(request).fact('process.lost');

  expect(why).toContain('it ended while no supervisor was running');
});

test('a reused pid is never signalled', async () => {
  const stage = createStage();
  const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  const request = stage.createRequest(shell('exec sleep 60'));
  const pid = stranger.pid ?? 0;
  writeFileSync(
    request.files.status,
    `\nlauncher 1 2\n\nleader 1 ${pid}\n\nbegan 1 ${pid} ${Number(startTicksOf(pid)) - 1}\n`,
  );

  const adopted = stage.adopt(request);
  await adopted.fact('process.lost');
  adopted.send(endBy('SIGKILL'));
  await adopted.fact('tree.gone');

  expect(isAlive(pid)).toBe(true);
});

test('a pid without a start time counts only with the cookie', async () => {
  const stage = createStage();
  const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  const request = stage.createRequest(shell('exec sleep 60'));
  writeFileSync(request.files.status, `\nlauncher 1 2\n\nleader 1 ${stranger.pid}\n`);

  await stage.adopt(request).fact('process.lost');

  expect(isAlive(stranger.pid ?? 0)).toBe(true);
});

test('a leader is still watched after its launcher was killed', async () => {
  const stage = createStage();
  const attempt = stage.run(shell('exec sleep 60'));
  const { pid } = await attempt.fact('process.spawned');
  process.kill(attempt.status().launcher ?? 0, 'SIGKILL');
  await waitUntil(() => carriers(`/${attempt.request.id}/`).length === 1, {
    what: 'only the leader is left',
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(attempt.types).toEqual(['process.spawned']);

  process.kill(pid ?? 0, 'SIGKILL');

  expect((await attempt.fact('process.lost')).why).toContain(
    'the launcher that would have recorded it ended first',
  );
});

/** Starts a process that outlives its killed program, and returns its leader as a record names it. */
async function startRecorded(stage: Stage, script: string) {
  const request = await startAndDie(stage, script);
  const { launcher, leader } = readStatus(request.files.status, 1);
  const identity = await identify(createCurrentTable(), { pid: leader?.pid ?? 0, id: request.id });
  if (identity === null) throw new Error('its leader is not there');
  return { request, launcher, leader: identity };
}

const damages = {
  removed: (path: string) => rmSync(path),
  emptied: (path: string) => truncateSync(path),
  cut: (path: string) => truncateSync(path, readFileSync(path, 'utf8').indexOf('leader') + 4),
};

test.each(Object.entries(damages))(
  'a recorded leader is adopted where its file was %s',
  async (_, damage) => {
    const stage = createStage();
    const { request, launcher, leader } = await startRecorded(stage, 'exec sleep 60');
    damage(request.files.status);

    const adopted = stage.adopt(request, { leader });
    expect((await adopted.fact('process.adopted')).pid).toBe(leader.pid);
    adopted.send({ type: 'tree.survey' });
    expect((await adopted.fact('tree.surveyed')).leftovers).toEqual([]);
    process.kill(launcher ?? 0, 'SIGKILL');
    process.kill(leader.pid, 'SIGKILL');

    expect((await adopted.fact('process.lost')).why).toContain('was removed or truncated');
    expect(isAlive(leader.pid)).toBe(false);
  },
);

test('an exit written after the file was emptied counts', async () => {
  const stage = createStage();
  const { request, leader } = await startRecorded(
    stage,
    'trap "exit 9" TERM; echo up; while :; do sleep 1; done',
  );
  truncateSync(request.files.status);
  const adopted = stage.adopt(request, { leader });
  await adopted.fact('process.adopted');
  await waitUntil(() => adopted.printed().includes('up'), { what: 'its trap is set' });

  process.kill(leader.pid, 'SIGTERM');

  expect((await adopted.fact('process.exited')).exit).toEqual({ code: 9, signal: null });
});

test('a reused recorded pid is not adopted', async () => {
  const stage = createStage();
  const { request, leader } = await startRecorded(stage, 'exec sleep 60');
  rmSync(request.files.status);
  process.kill(leader.pid, 'SIGKILL');
  await waitUntil(() => carriers(`/${request.id}/`).length === 0, { what: 'launcher and leader are gone' });
  const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));

  const adopted = stage.adopt(request, { leader: { ...leader, pid: stranger.pid ?? 0 } });
  await adopted.fact('process.lost');

  expect(adopted.types).not.toContain('process.adopted');
  expect(isAlive(stranger.pid ?? 0)).toBe(true);
});

test.each(['run', 'adopt'] as const)('a lost status file does not hide the end: %s', async (verb) => {
  const stage = createStage();
  const attempt =
    verb === 'run'
      ? stage.run(shell('exec sleep 60'))
      : stage.adopt(await startAndDie(stage, 'exec sleep 60'));
  const { pid } = await attempt.fact(verb === 'run' ? 'process.spawned' : 'process.adopted');
  rmSync(attempt.request.files.status);

  process.kill(pid ?? 0, 'SIGKILL');

  expect((await attempt.fact('process.lost')).why).toContain('was removed or truncated');
  expect(attempt.types).not.toContain('process.spawnFailed');
  await attempt.fact('output.ended');
});

test('a line written after the adoption is read', async () => {
  const stage = createStage();
  const request = await startAndDie(stage, 'trap "exit 9" TERM; echo up; while :; do sleep 1; done');
  const adopted = stage.adopt(request);
  const { pid } = await adopted.fact('process.adopted');
  await waitUntil(() => adopted.printed().includes('up'), { what: 'its trap is set' });
  appendFileSync(request.files.status, '\ngap 0 0\n');

  process.kill(pid ?? 0, 'SIGTERM');

  expect((await adopted.fact('process.exited')).exit).toEqual({ code: 9, signal: null });
});

test('a supervisor that dies during a start leaves no unknown process', async () => {
  // From 0 to 220 ms: a start takes about five, and ten times that on a busy machine. The last one is known to have started.
  const rounds = 20;
  const outcomes = { started: 0, never: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const stage = createStage();
    const script = 'i=0; while test $i -lt 200; do echo line $i; i=$((i + 1)); done; exit 17';
    const afterMs = round === rounds - 1 ? 'spawned' : 1.35 ** round - 1;
    const request = await startAndDie(stage, script, afterMs);

    const adopted = stage.adopt(request);
    await waitUntil(() => adopted.types.some((type) => type === 'process.lost' || type === 'output.ended'));

    if (adopted.types.includes('process.lost')) {
      outcomes.never += 1;
      expect(carriers(`/${request.id}/`)).toEqual([]);
      expect(adopted.printed()).toBe('');
    } else {
      outcomes.started += 1;
      expect((await adopted.fact('process.exited')).exit).toEqual({ code: 17, signal: null });
      expect(readFileSync(request.files.log, 'utf8')).toBe(lines(200));
    }
  }
  expect(outcomes.started + outcomes.never).toBe(rounds);
  expect(outcomes.started).toBeGreaterThan(0);
}, 180_000);
