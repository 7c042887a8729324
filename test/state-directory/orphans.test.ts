import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createReachableSupervisor } from '../../src/control/reachable-supervisor.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { untilListening } from '../control/arrange.ts';
import {
  carriers,
  carriersBesideLauncher,
  endAll,
  fixtureProgram,
  isAlive,
  isHalted,
  tempDir,
  waitUntil,
} from '../support/os.ts';

/** A process of another program, which is there to be killed. */
async function openHost(lifetime: 'session' | 'persistent', command: string) {
  const place = tempDir();
  const directory = place.file('state');
  const host = spawn(
    process.execPath,
    [fixtureProgram('controlled-host.ts'), place.path, lifetime, command],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [said] = await once(host.stdout, 'data');
  const [supervisorId = '', id = ''] = String(said).trim().split(' ');
  await untilListening(directory, supervisorId);
  const state = openStateDirectory({ directory });
  const record = join(directory, 'processes', `${id}.json`);
  // Also wait for the record, which is written a moment later.
  await waitUntil(
    () => existsSync(record) && JSON.parse(readFileSync(record, 'utf8')).view.status === 'backgrounded',
  );
  return {
    place,
    directory,
    state,
    host,
    id,
    kill: () => end(host, 'SIGKILL'),
    end: () => end(host, 'SIGTERM'),
    [Symbol.asyncDispose]: async () => {
      state.close();
      await end(host, 'SIGKILL');
      await endAll(carriers(`/${supervisorId}/`));
      await endAll(carriers(`/${id}/`));
      place.remove();
    },
  };
}

async function end(host: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return;
  const gone = once(host, 'exit');
  host.kill(signal);
  await gone;
}

const counting = 'i=0; while [ $i -lt 40 ]; do echo "line $i"; i=$((i+1)); sleep 0.05; done';
const countedText = Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join('');

test('a persistent process is killed by its identity once its supervisor is dead', async () => {
  await using stage = await openHost('persistent', 'sleep 1000 & sleep 1000');
  await stage.kill();
  const { processes } = await stage.state.list();
  const wereAlive = carriers(`/${stage.id}/`).length;

  const answer = await stage.state.kill(stage.id, { grace: '2s' });

  expect(processes).toMatchObject([{ answered: false, view: { id: stage.id, status: 'backgrounded' } }]);
  expect(wereAlive).toBeGreaterThan(1);
  expect(answer).toMatchObject({ type: 'killed', receipt: { signalled: 'SIGTERM', survivors: [] } });
  expect(answer.message).toContain('is gone after');
  await waitUntil(() => carriers(`/${stage.id}/`).length === 0);
  const shown = await stage.state.show(stage.id);
  expect(shown.view).toMatchObject({
    status: 'killed',
    reason: { type: 'killed', by: 'user' },
    exit: { signal: 'SIGTERM' },
  });
  expect(shown.timeline.map(({ type }) => type).slice(-2)).toEqual(['process.signalled', 'process.ended']);
}, 30_000);

test('the end of a process killed without a supervisor reaches its owner', async () => {
  await using stage = await openHost('persistent', 'sleep 1000');
  await stage.kill();
  await stage.state.kill(stage.id);

  await using next = createReachableSupervisor({ cwd: stage.place.path, stateDirectory: stage.directory });
  const owner = next.get(stage.id)?.view().owner ?? '';
  using mailbox = next.mailbox(owner);
  const notice = mailbox.take();

  expect(notice?.text).toContain(stage.id);
  expect(notice?.text).toContain('killed');
}, 30_000);

test('two kills of an orphan at once get one end', async () => {
  await using stage = await openHost('persistent', 'trap "" TERM; while :; do sleep 1; done');
  await stage.kill();
  const other = openStateDirectory({ directory: stage.directory });

  const answers = await Promise.all([
    stage.state.kill(stage.id, { grace: '500ms' }),
    other.kill(stage.id, { grace: '500ms' }),
  ]);
  other.close();

  const types = answers.map(({ type }) => type);
  expect(types).toContain('killed');
  // The second order may come before or after the first signal.
  for (const type of types) expect(['killed', 'alreadyStopping']).toContain(type);
  expect(carriers(`/${stage.id}/`)).toEqual([]);
  const { timeline } = await stage.state.show(stage.id);
  expect(timeline.filter(({ type }) => type === 'process.ended')).toHaveLength(1);
}, 30_000);

test('a kill of an orphan with wrong options leaves it running', async () => {
  await using stage = await openHost('persistent', 'sleep 1000');
  await stage.kill();

  const refusal = await stage.state
    .kill(stage.id, { signal: 'SIGNONE' as never })
    .catch(({ code, message }) => `${code}: ${message}`);

  expect(refusal).toMatch(/^invalid-option: .*SIGNONE/);
  expect(carriers(`/${stage.id}/`).length).toBeGreaterThan(0);
  expect((await stage.state.show(stage.id)).view).toMatchObject({ status: 'backgrounded' });
}, 30_000);

test('no supervisor starts again what was killed without one', async () => {
  await using stage = await openHost('persistent', 'sleep 1000');
  await stage.kill();
  await stage.state.kill(stage.id);

  const next = createReachableSupervisor({ cwd: stage.place.path, stateDirectory: stage.directory });
  const view = next.get(stage.id)?.view();
  await next.shutdown();

  expect(next.recovered.adopted).toEqual([]);
  expect(view?.status).toBe('killed');
}, 30_000);

test('waiting and following continue when the supervisor is killed', async () => {
  await using stage = await openHost('persistent', counting);
  let text = '';
  const followed = (async () => {
    for await (const { bytes, offset } of stage.state.follow(stage.id, { from: 0 })) {
      expect(offset).toBe(Buffer.byteLength(text));
      text += Buffer.from(bytes).toString();
    }
  })();
  const waited = stage.state.wait(stage.id);
  await waitUntil(() => text.includes('line 5\n'));

  await stage.kill();
  await followed;

  expect(text).toBe(countedText);
  expect(await waited).toMatchObject({ status: 'completed', exit: { code: 0 } });
  expect(await stage.state.read(stage.id, { tail: 1 })).toMatchObject({ text: 'line 39\n', ended: true });
}, 30_000);

test.each(['kill', 'end'] as const)(
  'following goes over to the supervisor that adopts after a %s',
  async (how) => {
    await using stage = await openHost('persistent', counting);
    let text = '';
    const followed = (async () => {
      for await (const { bytes, offset } of stage.state.follow(stage.id, { from: 0 })) {
        expect(offset).toBe(Buffer.byteLength(text));
        text += Buffer.from(bytes).toString();
      }
    })();
    const waited = stage.state.wait(stage.id);
    await waitUntil(() => text.includes('line 5\n'));
    await stage[how]();
    await waitUntil(() => text.includes('line 10\n'));

    const next = createReachableSupervisor({ cwd: stage.place.path, stateDirectory: stage.directory });
    await untilListening(stage.directory, next.id);
    const seen = await stage.state.list();
    await followed;

    expect(next.recovered.adopted).toEqual([stage.id]);
    expect(seen.processes).toMatchObject([{ answered: true, supervisorId: next.id }]);
    expect(text).toBe(countedText);
    expect(await waited).toMatchObject({ status: 'completed' });
    await next.shutdown();
  },
  30_000,
);

test('a session process that died with its supervisor is lost, and its log can be read', async () => {
  await using stage = await openHost('session', 'echo moin; sleep 1000');
  const { view } = await stage.state.show(stage.id);
  await waitUntil(async () => (await stage.state.read(stage.id)).text === 'moin\n');
  const log = join(stage.directory, 'processes', `${stage.id}.log`);
  await waitUntil(() => readFileSync(log, 'utf8') === 'moin\n');

  await stage.kill();
  const end = await stage.state.wait(stage.id);

  expect(isAlive(('pid' in view ? view.pid : null) ?? 0)).toBe(false);
  expect(end).toMatchObject({ status: 'lost', reason: { type: 'lost' } });
  expect(await stage.state.read(stage.id)).toMatchObject({ text: 'moin\n', ended: true });
  expect(await stage.state.kill(stage.id)).toMatchObject({ type: 'notRunning' });
}, 30_000);

test('an aborted wait or follow leaves the process alone', async () => {
  await using stage = await openHost('persistent', 'echo moin; sleep 1000');
  await stage.kill();
  const abort = new AbortController();
  const follow = async () => {
    for await (const _ of stage.state.follow(stage.id, { from: 0, signal: abort.signal }));
  };
  const calls = [follow(), stage.state.wait(stage.id, { signal: abort.signal })];

  abort.abort(new Error('enough'));
  const ends = await Promise.allSettled(calls);

  expect(ends).toMatchObject([
    { status: 'rejected', reason: { message: 'enough' } },
    { status: 'rejected', reason: { message: 'enough' } },
  ]);
  expect(carriers(`/${stage.id}/`).length).toBeGreaterThan(0);
}, 30_000);

test('a paused process is ended politely once its supervisor is dead', async () => {
  const command = 'trap "echo bye > bye; exit 0" TERM; while :; do sleep 1; done';
  await using stage = await openHost('persistent', command);
  const paused = await stage.state.pause(stage.id);
  await stage.kill();
  const members = carriersBesideLauncher(`/${stage.id}/`);
  const areHalted = members.length > 0 && members.every(isHalted);

  const answer = await stage.state.kill(stage.id, { grace: '20s' });

  expect(paused.ok).toBe(true);
  expect(areHalted).toBe(true);
  expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: false, survivors: [] } });
  expect(existsSync(join(stage.place.path, 'bye'))).toBe(true);
  expect(carriers(`/${stage.id}/`)).toEqual([]);
}, 30_000);

test('a paused session process dies with its supervisor', async () => {
  await using stage = await openHost('session', 'sleep 1000 & sleep 1000');
  await stage.state.pause(stage.id);
  const wereHalted = carriers(`/${stage.id}/`).every(isHalted);

  await stage.kill();

  expect(wereHalted).toBe(true);
  await waitUntil(() => carriers(`/${stage.id}/`).length === 0, { what: 'the watchdog has killed it' });
}, 30_000);

test('a process without a supervisor is not signalled, and the answer says why', async () => {
  await using stage = await openHost('persistent', 'sleep 1000');
  await stage.kill();

  const signal = stage.state.signal(stage.id, { signal: 'SIGHUP' });

  await expect(signal).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('it has no supervisor now'),
  });
  expect(carriersBesideLauncher(`/${stage.id}/`).length).toBeGreaterThan(0);
});

test('an ended process of a dead supervisor is not signalled', async () => {
  await using stage = await openHost('persistent', 'sleep 1000');
  await stage.state.kill(stage.id);
  await stage.kill();

  const answer = await stage.state.pause(stage.id);

  expect(answer).toMatchObject({
    ok: false,
    code: 'ended',
    message: expect.stringContaining('was not signalled: it'),
  });
});
