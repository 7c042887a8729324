import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type CommandSpec, createSupervisor, type ProcessHandle } from '../../src/index.ts';
import { openWorker, type RemoteWorker, type WorkerOptions } from '../../src/remote/index.ts';
import { LogWriter } from '../../src/remote/log-writer.ts';
import { writeState } from '../../src/spawn/remote/attempt-records.ts';
import { streams as names, type StartOrder, subjects } from '../../src/spawn/remote/protocol.ts';
import { openServers, type Servers } from '../../src/spawn/remote/servers.ts';
import { hasNatsServer, type NatsServer, startNats } from '../support/nats.ts';
import { carriers, endAll, isHalted, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';
import type { RealHarness } from '../support/real.ts';
import { openAsker, startWorkerProgram } from '../support/remote.ts';

/** Prints about 20 MB of numbered lines. */
const LOUD = { command: ['seq', '2700000'], lines: 2_700_000 };

function hashOfLines(count: number): string {
  const hash = createHash('sha256');
  for (let line = 1; line <= count; line += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, index) => `${line + index}\n`);
    hash.update(lines.join(''));
  }
  return hash.digest('hex');
}

/** Returns the living processes below a process, wherever they run. */
const alive = (id: string) => carriers(`/${id}/`);

const logOf = (directory: string, id: string) => `${directory}/state/processes/${id}.log`;

const background = (handle: ProcessHandle) => waitUntil(() => handle.status === 'backgrounded');

describe.skipIf(!(await hasNatsServer()))('a process on another host', () => {
  let nats: NatsServer;
  let worker: RemoteWorker;
  let place: ReturnType<typeof tempDir>;

  beforeAll(async () => {
    place = tempDir();
    nats = await startNats();
    worker = await openWorker({ servers: nats.url, cwd: place.path, onError: throws });
  });
  afterAll(async () => {
    await worker.close();
    await nats[Symbol.asyncDispose]();
    place.remove();
  });

  const open = (options?: Parameters<typeof openAsker>[1]) => openAsker(nats.url, options);
  const openOther = async (options: Omit<WorkerOptions, 'servers'>): Promise<RemoteWorker> => {
    const other = await openWorker({ servers: nats.url, onError: throws, ...options });
    onTestFinished(() => other.close());
    return other;
  };
  const start = ({ supervisor }: RealHarness, spec: CommandSpec) =>
    supervisor.start({ background: true, ...spec });

  describe('ends', () => {
    test('a result has the output of each stream', async () => {
      await using stage = open();

      const result = await stage.supervisor.execute({ command: 'echo out; echo problem >&2; exit 3' });

      expect(result).toMatchObject({ type: 'failed', exitCode: 3, stdout: 'out\n', stderr: 'problem\n' });
    });

    test('both streams keep their order', async () => {
      await using stage = open();
      const script = 'echo a; read x; echo b >&2; read x; echo c';
      const handle = start(stage, { command: script, stdin: 'pipe' });

      for (const text of ['a\n', 'a\nb\n']) {
        await waitUntil(() => handle.read().text === text, { what: text });
        await handle.writeLine('go on');
      }
      await handle.ended;

      expect(handle.read().text).toBe('a\nb\nc\n');
    });

    test.each([
      ['exit 0', { type: 'completed', exitCode: 0, signal: null }],
      ['exit 77', { type: 'failed', exitCode: 77, signal: null }],
      ['kill -TERM $$', { type: 'failed', exitCode: null, signal: 'SIGTERM' }],
      ['kill -KILL $$', { type: 'failed', exitCode: null, signal: 'SIGKILL' }],
    ])('the end of "%s" is the one over there', async (command, end) => {
      await using stage = open();

      expect(await stage.supervisor.execute({ command })).toMatchObject(end);
    });

    test('an unknown program is a failed start', async () => {
      await using stage = open();

      const result = await stage.supervisor.execute({ command: ['no-such-program-anywhere'] });

      expect(result).toMatchObject({
        type: 'failed',
        reason: { type: 'spawnFailed' },
        message: expect.stringContaining('no-such-program-anywhere'),
      });
    });

    test('a restart policy starts it there again', async () => {
      await using stage = open();
      using notes = tempDir();
      const command = `echo run >>${notes.file('runs')}; test $(wc -l <${notes.file('runs')}) -ge 3`;

      const handle = start(stage, { command, restart: { policy: 'transient', minBackoff: 10 } });

      expect(await handle.ended).toMatchObject({ status: 'completed', attempt: 3, restarts: 2 });
      expect(readFileSync(notes.file('runs'), 'utf8')).toBe('run\n'.repeat(3));
    });
  });

  describe('surroundings', () => {
    test('a view names the pool', async () => {
      await using stage = open();

      const there = start(stage, { command: ['true'] });
      const here = start(stage, { command: ['true'], host: 'local' });
      await Promise.all([there.ended, here.ended]);

      expect(there.view()).toMatchObject({ host: 'pool:default', mode: 'remote' });
      expect(here.view()).toMatchObject({ host: null, mode: 'pipe' });
    });

    test('a directory is relative to that of the worker', async () => {
      await using stage = open();
      mkdirSync(place.file('deep/er'), { recursive: true });
      const where = async (cwd: string | undefined) => {
        const result = await stage.supervisor.execute({ command: 'pwd', cwd });
        return 'stdout' in result && result.stdout.trim();
      };

      expect(await where(undefined)).toBe(place.path);
      expect(await where('deep/er')).toBe(place.file('deep/er'));
      expect(await where('/usr')).toBe('/usr');
    });

    test('a command inherits from its worker alone', async () => {
      const env = { PATH: process.env['PATH'], OF_WORKER: 'worker', UNWANTED: 'worker' };
      await using program = await startWorkerProgram({ servers: nats.url, pools: ['clean'] }, env);
      process.env['OF_ASKER'] = 'asker';
      onTestFinished(() => {
        delete process.env['OF_ASKER'];
      });
      await using stage = open({ env: { OF_SUPERVISOR: 'supervisor' } });

      const result = await stage.supervisor.execute({
        command: ['env'],
        host: 'pool:clean',
        env: { OF_START: 'start', UNWANTED: null },
      });
      await program.leave();

      const names = 'stdout' in result ? result.stdout.match(/^(OF_\w+|UNWANTED)=.*$/gm) : null;
      expect(names?.toSorted()).toEqual(['OF_START=start', 'OF_SUPERVISOR=supervisor', 'OF_WORKER=worker']);
    });

    test('a pool runs what is sent to it', async () => {
      await openOther({ pools: ['north'], env: { WHERE: 'north' } });
      await openOther({ pools: ['south', 'west'], env: { WHERE: 'south' } });
      await using stage = open();
      const where = async (host: `pool:${string}`) => {
        const result = await stage.supervisor.execute({ command: 'printf "$WHERE"', host });
        return 'stdout' in result && result.stdout;
      };

      expect(await where('pool:north')).toBe('north');
      expect(await where('pool:south')).toBe('south');
      expect(await where('pool:west')).toBe('south');
    });

    test('a worker refuses a limit that it cannot keep', async () => {
      await openOther({ pools: ['plain'], cgroups: false });
      await using stage = open();

      const result = await stage.supervisor.execute({
        command: ['true'],
        host: 'pool:plain',
        resourceLimits: { processes: 10 },
      });

      expect(result).toMatchObject({
        type: 'failed',
        message: expect.stringMatching(/Its worker cannot keep "resourceLimits.processes": .*no cgroups/),
      });
    });

    test('a command has the limits of its start', async () => {
      await using stage = open();

      const result = await stage.supervisor.execute({
        command: `grep '^Max open files' /proc/self/limits | tr -s ' '`,
        resourceLimits: { openFiles: 77 },
      });

      expect(result).toMatchObject({ type: 'completed', stdout: 'Max open files 77 77 files \n' });
    });

    test.each<[string, Partial<CommandSpec>, string]>([
      ['a secret', { secrets: { TOKEN: 'hidden' } }, '"secrets" would wait in a queue'],
      ['a port', { ready: { port: 80 } }, '"ready.port" looks at this machine'],
      ['a file of readiness', { ready: { file: 'up' } }, '"ready.file" looks at this machine'],
      ['a file of its directory', { cwdFile: '/tmp/x' }, '"cwdFile" would be a file of another machine'],
      ['the lifetime of this program', { lifetime: 'parent' }, '"lifetime": "parent" is of this program'],
      ['a bad host', { host: 'gpu' as 'local' }, '"local" or a pool ("pool:gpu")'],
    ])('a start with %s is refused in words', async (_, spec, sentence) => {
      await using stage = open();

      const begin = () => stage.supervisor.start({ command: 'true', ...spec });

      expect(begin).toThrowError(expect.objectContaining({ code: 'invalid-option' }));
      expect(begin).toThrowError(sentence);
    });

    test('a host without servers is refused in words', async () => {
      await using stage = open({ remote: { pool: undefined } });
      await using plain = createSupervisor({ stateDirectory: false });

      const begin = () => plain.start({ command: 'true', host: 'pool:gpu' });

      expect(begin).toThrowError(
        'start: "host" is "pool:gpu"; the supervisor has no option "remote". Give it one ({ servers: "nats://…" }); on the command line, set TROUPE_SERVERS.',
      );
      expect(await stage.supervisor.execute({ command: 'true' })).toMatchObject({ process: { host: null } });
    });
  });

  describe('orders', () => {
    test('a kill proves that the tree is gone', async () => {
      await using stage = open();
      const handle = start(stage, { command: 'sleep 300 & setsid sleep 301 & echo up; wait' });
      await handle.waitFor({ text: 'up' });
      await waitUntil(() => alive(handle.id).length === 3);

      const answer = await handle.kill();

      expect(alive(handle.id)).toEqual([]);
      expect(answer).toMatchObject({ type: 'killed', receipt: { signalled: 'SIGTERM', survivors: [] } });
      expect('receipt' in answer && answer.receipt.leftoversEnded).toHaveLength(2);
      expect(await handle.ended).toMatchObject({ status: 'killed' });
    });

    test('a stubborn process is killed after its grace', async () => {
      await using stage = open();
      const command = 'trap "" TERM; echo up; while :; do sleep 1; done';
      const handle = start(stage, { command, killGrace: 100 });
      await handle.waitFor({ text: 'up' });

      const answer = await handle.kill();

      expect(alive(handle.id)).toEqual([]);
      expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: true, survivors: [] } });
    });

    test('a cancelled start never happens', async () => {
      await using stage = open();
      using notes = tempDir();
      const touch = (name: string) =>
        start(stage, { command: ['touch', notes.file(name)], host: 'pool:empty' });
      const cancelled = touch('cancelled');
      await waitUntil(async () => (await readQueue(nats, 'empty')) === 1);

      const answer = await cancelled.kill();
      expect(cancelled.status).toBe('killed');
      const next = touch('next');
      await openOther({ pools: ['empty'] });
      await next.ended;

      expect(answer).toMatchObject({ type: 'cancelled' });
      expect([existsSync(notes.file('cancelled')), existsSync(notes.file('next'))]).toEqual([false, true]);
    });

    test('input is written and ended', async () => {
      await using stage = open();
      const handle = start(stage, { command: ['cat'], stdin: 'pipe' });

      const written = [await handle.write('zürich\n'), await handle.write(Buffer.from([0, 10, 255]))];
      const ended = await handle.endInput();
      await handle.ended;

      expect(written).toEqual([
        { ok: true, bytesWritten: 8 },
        { ok: true, bytesWritten: 3 },
      ]);
      expect(ended.ok).toBe(true);
      const bytes = [];
      for await (const chunk of handle.output({ lossless: true })) bytes.push(chunk.bytes);
      expect(Buffer.concat(bytes)).toEqual(Buffer.from([...Buffer.from('zürich\n'), 0, 10, 255]));
    });

    test('a signal, a pause and a continuation reach the process', async () => {
      await using stage = open();
      const command = 'trap "echo reloaded" HUP; echo up; while :; do sleep 0.1; done';
      const handle = start(stage, { command });
      await handle.waitFor({ text: 'up' });
      const { pid } = handle.view() as { pid: number };

      const signalled = await handle.signal({ signal: 'SIGHUP', to: 'leader' });
      await handle.waitFor({ text: 'reloaded' });
      const paused = await handle.pause();
      const wasHalted = isHalted(pid);
      const { pausedAt } = handle.view() as { pausedAt: number | null };
      const resumed = await handle.resume();

      expect(signalled).toMatchObject({ ok: true, pids: [pid] });
      expect([paused.ok, wasHalted, resumed.ok]).toEqual([true, true, true]);
      expect(pausedAt).not.toBeNull();
      await waitUntil(() => !isHalted(pid));
    });

    test('leftovers are named and killed', async () => {
      await using stage = open();
      const result = await stage.supervisor.execute({ command: 'sleep 300 >/dev/null 2>&1 & echo up' });
      const { id } = (result as { process: { id: string } }).process;
      const left = alive(id);

      const answer = await stage.supervisor.kill(id);

      expect(result).toMatchObject({ type: 'completed', leftovers: [{ command: 'sleep 300' }] });
      expect(left).toHaveLength(1);
      expect(answer).toMatchObject({ type: 'leftoversEnded' });
      expect(alive(id)).toEqual([]);
    });

    test('leftovers that are unwanted are killed at the end', async () => {
      await using stage = open();

      const result = await stage.supervisor.execute({
        command: 'sleep 300 >/dev/null 2>&1 & echo up',
        leftovers: 'kill',
      });

      const { id } = (result as { process: { id: string } }).process;
      await waitUntil(() => alive(id).length === 0);
    });

    test('a line makes it ready', async () => {
      await using stage = open();
      const handle = start(stage, {
        command: 'read x; echo listening; read x',
        stdin: 'pipe',
        ready: { line: 'listening' },
      });
      await background(handle);
      const before = (handle.view() as { ready: unknown }).ready;

      await handle.writeLine('go');

      expect(before).toEqual({ state: 'waiting' });
      expect(await handle.ready()).toMatchObject({ state: 'ready' });
    });

    test('a full worker leaves starts in the queue', async () => {
      const full = await openOther({ pools: ['two'], capacity: 2 });
      await using stage = open();
      const handles = Array.from({ length: 3 }, () =>
        start(stage, { command: ['sleep', '300'], host: 'pool:two' }),
      );
      const of = (status: string) => handles.filter((handle) => handle.status === status);
      await waitUntil(() => of('backgrounded').length === 2);

      const [waiting] = of('pending');
      expect(full.running).toBe(2);
      expect(alive(waiting?.id ?? '')).toEqual([]);
      await of('backgrounded')[0]?.kill();
      await waitUntil(() => waiting?.status === 'backgrounded');

      expect(alive(waiting?.id ?? '')).toHaveLength(1);
    });
  });

  describe('places', () => {
    test('a caller is not held by a start that no worker takes', async () => {
      await using stage = open({ remote: { pool: 'empty' } });
      const { supervisor } = stage;

      const waited = await supervisor.execute({ command: ['true'], timeout: '300ms' });
      const limited = await supervisor.execute({ command: ['true'], timeout: '300ms', onTimeout: 'kill' });
      const background = await supervisor.execute({ command: ['true'], background: true });

      const said =
        /^Process \S+ has not started after [0-9.]+ ?m?s: no worker of pool:empty has started it\. /;
      const queued =
        /It stays in the queue of pool:empty and starts in the background when a worker takes it; to cancel it, kill \S+\.$/;
      for (const result of [waited, background]) {
        expect(result).toMatchObject({ type: 'queued', process: { status: 'pending' } });
        expect(result).toMatchObject({ message: expect.stringMatching(said) });
        expect(result).toMatchObject({ message: expect.stringMatching(queued) });
      }
      expect(limited).toMatchObject({ type: 'timed_out', message: expect.stringMatching(said) });
    });

    test('a promoted start ends in the background once a worker takes it', async () => {
      await using stage = open({ remote: { pool: 'later' } });
      const waited = await stage.supervisor.execute({ command: 'echo late', timeout: '300ms' });
      if (waited.type !== 'queued') throw new Error(`it is ${waited.type}`);

      await openOther({ pools: ['later'] });
      const handle = stage.supervisor.get(waited.process.id);

      expect(await handle?.ended).toMatchObject({ status: 'completed' });
      expect(handle?.read().text).toBe('late\n');
      expect(handle?.timeline().map(({ type }) => type)).toContain('process.backgrounded');
    });

    test('a program that stops leaves a persistent start in the queue', async () => {
      using directory = tempDir();
      const options = { stateDirectory: directory.file('state'), remote: { pool: 'after' } };
      const first = open(options);
      const { id } = start(first, { command: 'echo late', lifetime: 'persistent' });
      await waitUntil(async () => (await readQueue(nats, 'after')) === 1);

      const { left } = await first.supervisor.shutdown();
      await openOther({ pools: ['after'] });
      await using second = open(options);
      const end = await second.supervisor.get(id)?.ended;

      expect(left).toEqual([id]);
      expect(end).toMatchObject({ status: 'completed' });
      expect(readFileSync(end?.output.logFile ?? '', 'utf8')).toBe('late\n');
      await first[Symbol.asyncDispose]();
    });
  });

  describe('ids', () => {
    test('a second program with an id joins the process of the same command', async () => {
      using notes = tempDir();
      const spec = { id: 'charge', command: `echo charged | tee -a ${notes.file('charges')}; exit 3` };
      await using first = open();
      await using second = open();

      const ends = [await start(first, spec).ended, await start(second, spec).ended];

      expect(ends).toMatchObject(Array(2).fill({ status: 'failed', exit: { code: 3 } }));
      expect(readFileSync(notes.file('charges'), 'utf8')).toBe('charged\n');
      expect(second.supervisor.get('charge')?.read().text).toBe('charged\n');
    });

    test.each([
      ['that runs', 'echo first; sleep 300', 'backgrounded'],
      ['that has ended', 'echo first', 'completed'],
    ])('an id of another command %s is refused', async (_, command, status) => {
      const id = `taken-${status}`;
      await using first = open();
      await using second = open();
      const handle = start(first, { id, command });
      await waitUntil(() => handle.status === status && handle.read().text === 'first\n');

      const result = await second.supervisor.execute({ id, command: 'echo second' });

      expect(result).toMatchObject({
        type: 'failed',
        reason: {
          type: 'spawnFailed',
          message: expect.stringContaining(`the id "${id}" is taken: another program of the tenant "user"`),
        },
        stdout: '',
      });
      expect(handle.status).toBe(status);
      expect(handle.read().text).toBe('first\n');
    });

    test('an id is refused although the log of its process has lost its beginning', async () => {
      const id = 'long-ago';
      await using first = open();
      await using second = open();
      const handle = start(first, { id, command: 'echo first; sleep 300' });
      await waitUntil(() => handle.read().text === 'first\n');
      const connection = await connect({ servers: nats.url });
      const manager = await jetstreamManager(connection);
      await manager.streams.purge(names.logs, {
        filter: subjects.log({ tenant: 'user', id, attempt: 1 }),
        keep: 1,
      });
      await connection.close();

      const result = await second.supervisor.execute({ id, command: 'echo second' });

      expect(result).toMatchObject({ type: 'failed', message: expect.stringContaining('is taken') });
    });
  });

  describe('terminals', () => {
    test('a terminal takes keys, is resized and shows its screen', async () => {
      await using stage = open();
      const handle = start(stage, {
        command: 'stty size; read name; echo "hello $name"; read x; stty size; read x',
        interactive: true,
        size: { columns: 90, rows: 30 },
      });
      const screen = async () => {
        const answer = await handle.capture();
        return answer.ok ? answer.screen.lines.join('\n') : '';
      };
      await waitUntil(async () => (await screen()).includes('30 90'));

      await handle.sendKeys({ text: 'worlk', keys: ['Backspace', 'd'], pressEnter: true });
      await waitUntil(async () => (await screen()).includes('hello world'));
      const resized = await handle.resize({ columns: 100, rows: 40 });
      await handle.sendKeys({ keys: ['Enter'] });
      await waitUntil(async () => (await screen()).includes('40 100'));
      await handle.sendKeys({ keys: ['C-c'] });
      await handle.ended;
      const last = await handle.capture();

      expect(resized.ok).toBe(true);
      expect(handle.view().terminal).toMatchObject({ type: 'terminal', columns: 100, rows: 40 });
      expect(last).toMatchObject({ ok: true, screen: { isLast: true, columns: 100, rows: 40 } });
      expect(last.ok && last.screen.lines.join('\n')).toContain('hello world');
    });
  });

  describe('output', () => {
    const wanted = hashOfLines(LOUD.lines);

    test('a loud process loses no byte', async () => {
      await using stage = open();
      const handle = start(stage, { command: LOUD.command, logFile: false });
      const hash = createHash('sha256');

      for await (const { bytes } of handle.output({ lossless: true })) hash.update(bytes);

      expect(hash.digest('hex')).toBe(wanted);
      expect(await handle.ended).toMatchObject({ status: 'completed' });
    });

    test('a log file has every byte', async () => {
      await using stage = open();
      const handle = start(stage, { command: LOUD.command });
      const { output } = await handle.ended;

      const file = readFileSync(output.logFile ?? '');

      expect(createHash('sha256').update(file).digest('hex')).toBe(wanted);
    });

    test('a reader that pauses gets every byte later', async () => {
      await using stage = open();
      const handle = start(stage, {
        ...{ command: LOUD.command, logFile: false, maxBufferBytes: 64 * 1_024, headBytes: 1_024 },
      });
      const hash = createHash('sha256');
      const chunks = handle.output({ lossless: true });
      const first = await chunks.next();

      // It ends there while nothing is read here.
      await waitUntil(() => alive(handle.id).length === 0 && worker.running === 0);
      const { status } = handle;
      if (!first.done) hash.update(first.value.bytes);
      for await (const { bytes } of chunks) hash.update(bytes);

      expect(status).toBe('backgrounded');
      expect(hash.digest('hex')).toBe(wanted);
    });
  });

  describe('lifetimes', () => {
    const persistent = { lifetime: 'persistent' } as const;
    /** Counts on, and ends at the first line of `go`. */
    const counting = (go: string) =>
      `n=0; until test -e ${go}; do echo line $n; n=$((n+1)); sleep 0.01; done; echo bye; exit 5`;

    test('a persistent process is adopted by the next supervisor', async () => {
      using directory = tempDir();
      const stateDirectory = directory.file('state');
      const first = open({ stateDirectory });
      const { id } = start(first, { command: counting(directory.file('go')), ...persistent });
      await first.supervisor.get(id)?.waitFor({ text: 'line 20' });

      const { left } = await first.supervisor.shutdown();
      const wasAlive = alive(id).length > 0;
      await using second = open({ stateDirectory });
      const ends: string[] = [];
      second.supervisor.completions$.subscribe(({ process }) => ends.push(process.id));
      const handle = second.supervisor.get(id);
      await waitUntil(() => handle?.timeline().some(({ type }) => type === 'process.adopted'));
      const { lines } = handle?.view().output ?? {};
      await waitUntil(() => (handle?.view().output.lines ?? 0) > (lines ?? 0) + 20);
      writeFileSync(directory.file('go'), '');
      const end = await handle?.ended;

      expect({ left, wasAlive }).toEqual({ left: [id], wasAlive: true });
      expect(second.supervisor.recovered).toMatchObject({ adopted: [id], problem: null });
      expect(end).toMatchObject({ status: 'failed', exit: { code: 5 }, host: 'pool:default' });
      const text = readFileSync(end?.output.logFile ?? '', 'utf8');
      const numbered = text.trimEnd().split('\n').slice(0, -1);
      expect(numbered).toEqual(numbered.map((_, n) => `line ${n}`));
      expect(text.endsWith('\nbye\n')).toBe(true);
      await waitUntil(() => ends.length > 0);
      expect(ends).toEqual([id]);
      await first[Symbol.asyncDispose]();
    });

    test('an end without a supervisor is told once', async () => {
      using directory = tempDir();
      const stateDirectory = directory.file('state');
      const first = open({ stateDirectory });
      const { id } = start(first, { command: counting(directory.file('go')), ...persistent });
      await first.supervisor.get(id)?.waitFor({ text: 'line 5' });
      await first.supervisor.shutdown();
      writeFileSync(directory.file('go'), '');
      await waitUntil(() => alive(id).length === 0);

      const notices = [];
      for (let round = 0; round < 2; round += 1) {
        await using next = open({ stateDirectory });
        await next.supervisor.get(id)?.ended;
        using mailbox = next.supervisor.mailbox('user');
        const notice = round === 0 ? await waitUntil(() => mailbox.take()) : mailbox.take();
        notices.push(notice?.text ?? null);
        mailbox.delivered(notice?.ids ?? []);
      }

      expect(notices).toEqual([expect.stringContaining(id), null]);
      await first[Symbol.asyncDispose]();
    });

    test('a supervisor without servers leaves it as it is', async () => {
      using directory = tempDir();
      const stateDirectory = directory.file('state');
      const first = open({ stateDirectory });
      const { id } = start(first, { command: ['sleep', '300'], ...persistent });
      await background(first.supervisor.get(id) as ProcessHandle);
      await first.supervisor.shutdown();
      const record = () => readFileSync(directory.file(`state/processes/${id}.json`), 'utf8');
      const before = record();

      const plain = createSupervisor({ stateDirectory });
      const { adopted, lost, problem } = plain.recovered;
      await plain.shutdown();

      expect({ adopted, lost }).toEqual({ adopted: [], lost: [] });
      expect(problem).toContain('this supervisor has no option "remote"');
      expect(record()).toBe(before);
      expect(alive(id)).toHaveLength(1);
      await using third = open({ stateDirectory });
      expect(third.supervisor.recovered.adopted).toEqual([id]);
      expect(await third.supervisor.kill(id)).toMatchObject({ type: 'killed' });
      expect(alive(id)).toEqual([]);
      await first[Symbol.asyncDispose]();
    });

    test('the death of its asker ends a session process, not a persistent one', async () => {
      using directory = tempDir();
      const options = { remote: { servers: nats.url, pool: 'default' } };
      const host = await startPuppetHost(directory.path, { options });
      const begin = async (spec: object) => {
        const { id } = await host.ask('start', { background: true, ...spec });
        await host.ask('started', id);
        return id;
      };
      const session = await begin({ command: 'sleep 300 & wait' });
      const lasting = await begin({ command: counting(directory.file('go')), ...persistent });
      onTestFinished(async () => {
        await host.kill();
        for (const id of [session, lasting]) await endAll([], `/${id}/`);
      });
      await waitUntil(() => alive(session).length === 2 && existsSync(logOf(directory.path, lasting)));

      await host.kill();
      const killedAtMs = performance.now();
      await waitUntil(() => alive(session).length === 0);
      const afterMs = performance.now() - killedAtMs;
      expect(alive(lasting).length).toBeGreaterThan(0);
      await using next = open({ stateDirectory: `${directory.path}/state` });
      writeFileSync(directory.file('go'), '');
      const end = await next.supervisor.get(lasting)?.ended;

      expect(afterMs).toBeGreaterThan(5_000);
      expect(afterMs).toBeLessThan(20_000);
      expect(next.supervisor.recovered).toMatchObject({ adopted: [lasting], lost: [session] });
      expect(end).toMatchObject({ status: 'failed', exit: { code: 5 } });
      const numbered = readFileSync(logOf(directory.path, lasting), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(0, -1);
      expect(numbered).toEqual(numbered.map((_, n) => `line ${n}`));
    });

    test('a closed worker has ended what it ran', async () => {
      const closing = await openOther({ pools: ['closing'] });
      await using stage = open();
      const handle = start(stage, { command: 'sleep 300 & wait', host: 'pool:closing' });
      await waitUntil(() => alive(handle.id).length === 2);

      await closing.close();

      expect(alive(handle.id)).toEqual([]);
      expect(await handle.ended).toMatchObject({ status: 'failed', reason: { signal: 'SIGKILL' } });
    });

    test('a survey that a dead worker owes is answered', async () => {
      await using stage = open();
      const puppet = await openServers(
        { servers: [nats.url] },
        { name: 'puppet', inboxPrefix: '_INBOX_puppet' },
      );
      onTestFinished(() => puppet.close());
      const worker = 'puppet.1';
      const control = subjects.control({ worker, tenant: 'user' });
      puppet.connection.subscribe(control, {
        callback: (_, message) => {
          message.respond(JSON.stringify({ type: 'taken' }));
        },
      });
      const ordered = nextOrder(puppet, { pool: 'puppet', tenant: 'user' });
      const handle = start(stage, { command: ['true'], host: 'pool:puppet' });
      const { identity } = await ordered;
      const name = { tenant: 'user', id: handle.id, attempt: 1 };
      const log = new LogWriter(puppet, name);

      // The worker never beats, and dies between taking the survey and its answer.
      const claimed = { state: 'claimed', worker, identity } as const;
      const { revision } = await writeState(puppet, { name, state: claimed, after: 0 });
      for (const fact of [
        { type: 'attempt.claimed', worker, identity },
        { type: 'process.spawned', pid: 4_000_000, pgid: 4_000_000 },
        { type: 'process.exited', exit: { code: 0, signal: null } },
        { type: 'output.ended' },
        { type: 'attempt.ended' },
      ] as const)
        log.add({ type: 'fact', fact });
      await log.stored();
      const ended = { state: 'ended', worker, identity, entries: log.entries } as const;
      await writeState(puppet, { name, state: ended, after: revision });

      expect(await handle.ended).toMatchObject({ status: 'completed', exit: { code: 0 } });
    });

    test('a drained worker takes no more starts', async () => {
      const draining = await openOther({ pools: ['draining'] });
      await using stage = open();
      const running = start(stage, { command: ['cat'], stdin: 'pipe', host: 'pool:draining' });
      await background(running);

      const drained = draining.drain();
      const next = start(stage, { command: ['true'], host: 'pool:draining' });
      await waitUntil(async () => (await readQueue(nats, 'draining')) === 1);
      expect(draining.running).toBe(1);
      await running.endInput();
      await drained;

      expect(await running.ended).toMatchObject({ status: 'completed' });
      expect(next.status).toBe('pending');
      expect(await next.kill()).toMatchObject({ type: 'cancelled' });
    });
  });
});

/** Returns the number of starts that no worker of the pool has taken. */
async function readQueue(nats: NatsServer, pool: string): Promise<number> {
  const connection = await connect({ servers: nats.url });
  try {
    const { streams } = await jetstreamManager(connection);
    const filter = { subjects_filter: `troupe.start.${pool}.*` };
    const { state } = await streams.info(names.starts, filter);
    return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  } finally {
    await connection.close();
  }
}

/** Resolves with the next order of a pool, which stays in the queue. */
async function nextOrder(
  { connection }: Pick<Servers, 'connection'>,
  of: Parameters<typeof subjects.start>[0],
): Promise<StartOrder> {
  const { promise, resolve } = Promise.withResolvers<StartOrder>();
  connection.subscribe(subjects.start(of), {
    max: 1,
    callback: (_, message) => resolve(message.json<StartOrder>()),
  });
  await connection.flush();
  return promise;
}

function throws(error: unknown): never {
  throw error;
}
