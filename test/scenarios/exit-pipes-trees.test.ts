import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FinalView, KillAnswer, KillReceipt, ProcessHandle } from '../../src/index.ts';
import { carriers, fixtureProgram, isAlive, stateOf, waitUntil } from '../support/os.ts';
import { openRealHarness, type RealHarness } from '../support/real.ts';

/** Starts a fixture program and waits for the file that it creates; its first argument. */
async function startProgram(
  stage: RealHarness,
  name: string,
  more: { killGrace?: number } = {},
): Promise<ProcessHandle> {
  const handle = stage.supervisor.start({
    command: [fixtureProgram(`${name}.sh`), stage.file(name)],
    background: true,
    ...more,
  });
  await waitUntil(() => existsSync(stage.file(name)), { what: `${name} is ready` });
  return handle;
}

/** Leaves a `sleep` behind and continues once it runs `sleep`: until then it is a second shell. */
const leaveSleep =
  'sleep 100 & until read -r name < /proc/$!/comm && [ "$name" = sleep ]; do sleep 0.01; done';

function pidOf(handle: ProcessHandle): number {
  const view = handle.view();
  const pid = 'pid' in view ? view.pid : null;
  if (pid === null) throw new Error(`${handle.id} has no pid`);
  return pid;
}

function receiptOf(answer: KillAnswer): KillReceipt | null {
  return 'receipt' in answer ? answer.receipt : null;
}

function nameOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
}

test('a child that holds the pipe does not hold the end', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: `${leaveSleep}; echo hi` });

  const view = await handle.ended;

  expect(view).toMatchObject({ status: 'completed', exit: { code: 0, signal: null } });
  expect(view.runtimeMs).toBeLessThan(30_000);
  expect(handle.read().text).toBe('hi\n');
  expect(view.leftovers.map(({ command }) => command)).toEqual(['sleep 100']);
  expect(stage.alive(handle.id)).toEqual(view.leftovers.map(({ pid }) => pid));
});

test('an ended command has the CPU time of itself and its children', async () => {
  await using stage = openRealHarness();
  const spin = 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done';

  const alone = await stage.supervisor.start({ command: spin }).ended;
  const child = await stage.supervisor.start({ command: `sh -c '${spin}'; true` }).ended;
  const idle = await stage.supervisor.start({ command: 'sleep 0.3' }).ended;

  expect(alone.cpuMs).toBeGreaterThanOrEqual(10);
  expect(child.cpuMs).toBeGreaterThanOrEqual(10);
  expect(idle.cpuMs).toBeLessThan(200);
});

test('the CPU time of a command that closed its output before its exit is unknown without a cgroup', async () => {
  await using stage = openRealHarness({ cgroups: false });
  const spin = 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done';

  const { cpuMs } = await stage.supervisor.start({ command: `exec >&- 2>&-; ${spin}` }).ended;

  expect(cpuMs).toBeNull();
});

test('the CPU time of a command whose output is held is unknown without a cgroup', async () => {
  await using stage = openRealHarness({ cgroups: false });

  const { cpuMs } = await stage.supervisor.start({ command: 'sleep 100 &' }).ended;

  expect(cpuMs).toBeNull();
});

test('a leftover is ended by its id', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: `${leaveSleep}; echo hi` });
  const { leftovers } = await handle.ended;

  const answer = await stage.supervisor.kill(handle.id);

  expect(answer).toMatchObject({
    type: 'leftoversEnded',
    receipt: { survivors: [], leftoversEnded: leftovers },
  });
  expect(stage.alive(handle.id)).toEqual([]);
  expect(handle.view()).toMatchObject({ status: 'completed', leftovers: [] });
  expect(stage.count('leftovers.ended')).toBe(1);
});

test('leftovers that may not stay are ended first', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'sleep 100 & setsid sleep 100 & echo hi',
    leftovers: 'kill',
  });

  const view = await handle.ended;

  expect(stage.alive(handle.id)).toEqual([]);
  expect(view).toMatchObject({ status: 'completed', leftovers: [] });
});

test.each(['pipe', 'terminal'])('leftovers on a %s keep no program running', async (mode) => {
  const host = spawn(process.execPath, [fixtureProgram('leaves-a-child.ts'), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Shorter than any limit of the command and than its child.
    timeout: 20_000,
  });
  const [said] = await once(host.stdout, 'data');
  const [id, count] = String(said).trim().split(' ');

  const [code, signal] = await once(host, 'exit');

  expect([count, code, signal]).toEqual(['1', 0, null]);
  await waitUntil(() => carriers(`/${id}/`).length === 0);
});

test('leftovers that are killed late are named as they are then', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'until test -e go; do sleep 0.1; done && setsid sleep 100 & sleep 100 &',
  });
  const { leftovers } = await handle.ended;

  await stage.supervisor.execute({ command: 'touch go' });
  const named = () => (handle.view() as FinalView).leftovers.map(({ command }) => command);
  await waitUntil(() => named().filter((command) => command === 'sleep 100').length === 2);

  expect(leftovers.map(({ command }) => command)).not.toEqual(named());
});

test('leftovers that end by themselves are noticed', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: 'until test -e go; do sleep 0.1; done &' });
  await handle.ended;

  await stage.supervisor.execute({ command: 'touch go' });
  await waitUntil(() => stage.count('leftovers.ended', handle.id) === 1);

  expect(handle.view()).toMatchObject({ leftovers: [] });
});

test('servers left behind keep no command waiting', async () => {
  await using stage = openRealHarness({ maxParallelTools: 2 });
  const serve = 'nohup sleep 100 >/dev/null 2>&1 &';
  for (let count = 0; count < 3; count += 1) await stage.supervisor.execute({ command: serve });

  const answer = await stage.supervisor.execute({ command: 'echo here', timeout: '60s' });

  expect(answer).toMatchObject({ type: 'completed', stdout: 'here\n' });
  expect(stage.alive()).toHaveLength(3);
});

test('a process with leftovers is not forgotten', async () => {
  await using stage = openRealHarness({ maxFinished: 0, retention: 0 });
  const handle = stage.supervisor.start({ command: 'sleep 100 & echo hi' });
  await handle.ended;
  await stage.supervisor.sweep();

  const answer = await stage.supervisor.kill(handle.id);

  expect(answer.type).toBe('leftoversEnded');
  expect(stage.alive()).toEqual([]);
  expect(handle.timeline()).toContainEqual(
    expect.objectContaining({
      ...{ type: 'process.signalled', by: 'user' },
      detail: expect.stringMatching(/^SIGTERM to 1 process .*: its leftovers$/),
    }),
  );
});

test('leftovers do not pile up over restarts', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'sleep 100 & exit 1',
    background: true,
    restart: { policy: 'permanent', maxRestarts: 3, minBackoff: 10 },
  });
  const alive: number[] = [];
  stage.supervisor.events$.subscribe(({ type }) => {
    if (type === 'process.restarting') alive.push(stage.alive(handle.id).length);
  });

  const view = await handle.ended;

  expect(view).toMatchObject({ status: 'failed', attempt: 4, restarts: 3 });
  expect(alive).toEqual([0, 0, 0]);
  expect(view.leftovers).toHaveLength(1);
  expect(stage.alive(handle.id)).toHaveLength(1);
});

test('a restart ends the whole tree before the next', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'setsid sleep 100 & sleep 100 & echo up; wait',
    background: true,
  });
  await waitUntil(() => stage.alive(handle.id).length === 3 && handle.read().text === 'up\n');
  const before = stage.alive(handle.id);

  handle.restart();
  await waitUntil(() => handle.view().attempt === 2 && handle.read({ format: 'raw' }).text === 'up\nup\n');
  await waitUntil(() => stage.alive(handle.id).length === 3);

  expect(before.filter(isAlive)).toEqual([]);
  expect(handle.status).toBe('backgrounded');
});

test('a leftover that writes for ever ends the drain at its cap', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command:
      'echo first; (while :; do echo late; : > late; sleep 0.02; done) & until test -e late; do sleep 0.02; done',
    drainMax: 400,
    // On a busy machine it is quiet for a moment, too.
    drainQuiet: '1m',
  });

  const view = await handle.ended;
  await waitUntil(() => handle.view().output.bytes > view.output.bytes);

  expect(view.status).toBe('completed');
  expect(view.runtimeMs).toBeGreaterThanOrEqual(400);
  const labels = new Map<boolean, string>();
  handle.output$.subscribe((piece) => {
    if (piece.type === 'gap') return;
    labels.set(piece.afterEnd, (labels.get(piece.afterEnd) ?? '') + Buffer.from(piece.bytes).toString());
  });
  expect(labels.get(false)).toMatch(/^first\nlate\n/);
  expect(labels.get(true)).toMatch(/^late\n/);
  await waitUntil(() => readFileSync(view.output.logFile ?? '', 'utf8').includes('the process has ended'));
});

test.each(['grandchild-marker', 'setsid-grandchild', 'double-fork'])(
  'a kill of %s leaves no grandchild',
  async (name) => {
    await using stage = openRealHarness();
    const handle = await startProgram(stage, name);
    const before = await waitUntil(() => {
      const alive = stage.alive(handle.id);
      return alive.length > 1 ? alive : null;
    });

    const answer = await handle.kill();

    expect(stage.alive(handle.id)).toEqual([]);
    expect(before.filter(isAlive)).toEqual([]);
    expect(answer).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  },
);

test('a child behind nohup is ended with its tree', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'nohup sh -c "trap \'\' HUP; : > ready; while :; do sleep 1; done" > /dev/null & wait',
    background: true,
  });
  await waitUntil(() => existsSync(stage.file('ready')));

  await handle.kill();

  expect(stage.alive(handle.id)).toEqual([]);
});

test('a child without its environment is killed with its tree', async () => {
  await using stage = openRealHarness();
  const handle = await startProgram(stage, 'bare-child', { killGrace: 200 });
  const bare = Number(readFileSync(stage.file('bare-child'), 'utf8'));
  expect(isAlive(bare)).toBe(true);

  const answer = await handle.kill();

  expect(isAlive(bare)).toBe(false);
  expect(answer).toMatchObject({ receipt: { escalated: true, survivors: [] } });
});

test('a leader killed from outside has failed, by its signal', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: `${leaveSleep}; : > ready; wait`, background: true });
  await waitUntil(() => existsSync(stage.file('ready')));

  process.kill(pidOf(handle), 'SIGKILL');
  const view = await handle.ended;

  expect(view).toMatchObject({
    status: 'failed',
    exit: { code: null, signal: 'SIGKILL' },
    reason: { type: 'signalled', signal: 'SIGKILL', by: 'outside' },
  });
  expect(view.leftovers.map(({ command }) => command)).toEqual(['sleep 100']);
});

test('a process that ignores SIGTERM is stopping, then killed', async () => {
  await using stage = openRealHarness();
  const handle = await startProgram(stage, 'ignores-term', { killGrace: 300 });

  const answer = handle.kill();
  expect(handle.status).toBe('stopping');
  expect(isAlive(pidOf(handle))).toBe(true);

  expect(await answer).toMatchObject({
    type: 'killed',
    receipt: { signalled: 'SIGTERM', escalated: true, survivors: [] },
  });
  expect(receiptOf(await answer)?.durationMs).toBeGreaterThanOrEqual(299);
  expect(stage.alive(handle.id)).toEqual([]);
  expect(handle.view()).toMatchObject({ status: 'killed', exit: { code: null, signal: 'SIGKILL' } });
});

test('a quick death does not wait for the grace', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: ['sleep', '100'], background: true, killGrace: '1h' });

  const answer = await handle.kill();

  expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: false } });
  expect(stage.alive(handle.id)).toEqual([]);
});

test('a stopping process counts until it is gone', async () => {
  await using stage = openRealHarness({ maxBackgroundProcesses: 1 });
  const handle = await startProgram(stage, 'ignores-term', { killGrace: 300 });
  const answer = handle.kill();

  expect(() => stage.supervisor.start({ command: 'true', background: true })).toThrow(handle.id);
  await answer;

  expect(stage.alive()).toEqual([]);
  expect((await stage.supervisor.start({ command: 'true', background: true }).ended).status).toBe(
    'completed',
  );
});

test('exit code 0 while stopping is killed, with code 0', async () => {
  await using stage = openRealHarness();
  const handle = await startProgram(stage, 'obeys-late', { killGrace: 3_600_000 });

  await handle.kill({ by: 'agent' });

  expect(handle.view()).toMatchObject({
    status: 'killed',
    exit: { code: 0, signal: null },
    reason: { type: 'killed', by: 'agent', signal: 'SIGTERM', escalated: false },
  });
});

test('a kill in the tick of the exit ends it once', async () => {
  await using stage = openRealHarness({ stateDirectory: false });

  for (let round = 0; round < 15; round += 1) {
    const handle = stage.supervisor.start({ command: ['cat'], stdin: 'pipe' });
    await handle.write('text');
    await waitUntil(() => handle.read().text === 'text');
    const answers = await Promise.all([handle.endInput(), handle.kill(), handle.kill()]);
    const view = await handle.ended;

    expect(answers.map((answer) => ('type' in answer ? answer.type : answer.ok))).toEqual([
      true,
      'killed',
      'alreadyStopping',
    ]);
    expect(view.status).toBe('killed');
    expect(stage.count('process.ended', handle.id)).toBe(1);
  }
});

test('a shell reports the end of its pipeline', async () => {
  await using stage = openRealHarness();

  expect(await stage.supervisor.execute({ command: 'false | true' })).toMatchObject({ type: 'completed' });
  expect(await stage.supervisor.execute({ command: 'true | false' })).toMatchObject({ exitCode: 1 });
});

test('a shell that became its program is the same process', async () => {
  await using stage = openRealHarness({ shell: '/bin/bash' });
  const replaced = stage.supervisor.start({ command: 'sleep 70', background: true });
  const node = stage.supervisor.start({
    command: 'exec node -e "process.stdout.write(String(process.pid)); setInterval(() => {}, 60_000)"',
    background: true,
  });
  await waitUntil(() => nameOf(pidOf(replaced)) === 'sleep');
  await waitUntil(() => node.read().text !== '');

  expect(Number(node.read().text)).toBe(pidOf(node));
  const answers = await Promise.all([replaced.kill(), node.kill()]);

  expect(answers.map(({ type }) => type)).toEqual(['killed', 'killed']);
  expect(stage.alive()).toEqual([]);
});

test('a halted process is killable', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: ['sleep', '100'], background: true, killGrace: '1h' });
  process.kill(pidOf(handle), 'SIGSTOP');
  await waitUntil(() => stateOf(pidOf(handle)) === 'T');
  expect(handle.status).toBe('backgrounded');

  const answer = await handle.kill();

  expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: false } });
  expect(stage.alive()).toEqual([]);
});

test('a shutdown does not wait for a patient kill of leftovers', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: `trap '' TERM; sleep 600 & echo $!` });
  await handle.ended;
  const [pid] = handle.read().text.trim().split('\n').map(Number);
  const patient = handle.kill({ grace: '1h' });

  const report = await stage.supervisor.shutdown();

  expect(report.survivors).toEqual([]);
  expect(isAlive(pid ?? 0)).toBe(false);
  expect(await patient).toMatchObject({ type: 'leftoversEnded', receipt: { escalated: true } });
});
