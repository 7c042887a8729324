import { describe, expect, onTestFinished, test } from 'vitest';
import type { BackendCommand, SignalOutcome, WriteResult } from '../../machines/process/events.ts';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import type { Clock } from '../../src/clock/clock.ts';
import { createRealClock } from '../../src/clock/real-clock.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import type { Backend, SpawnRequest, ToldFact, Work } from '../../src/spawn/backend.ts';
import { askTree, endBy, ordered } from '../support/orders.ts';
import { isHalted, waitUntil } from '../support/os.ts';
import { createMemoryLog } from '../support/output-logs.ts';

/** Abilities of a backend's own test that the suite needs. */
export interface BackendUnderTest {
  readonly backend: Backend;
  /** Work for each behaviour; `null` where the backend does not support it, which skips its tests. */
  readonly work: {
    /** Prints `hello` and a newline, then exits with code 0. */
    readonly greets: Work;
    /** Prints its working directory, its `TROUPE_LINEAGE`, and its number of variables, a line each. */
    readonly tells: Work | null;
    /** Prints `half` without a newline to stdout and `problem` to stderr, then exits with code 3, or 1 where codes cannot be chosen. */
    readonly fails: Work;
    /** Lives until it is signalled, and ends by SIGTERM. Prints `up` when ready. */
    readonly obeys: Work;
    /** Ignores SIGTERM and ends by SIGKILL. Prints `up` when ready. */
    readonly ignoresTerm: Work | null;
    /** Exits with code 0 at once and leaves a process that holds its output. Prints `up`. */
    readonly leaves: Work | null;
    /** Prints its stdin until that ends. */
    readonly echoes: Work | null;
    /** Cannot be started. */
    readonly missing: Work | null;
  };
  /** Creates files for one request, and the log that reads them, for processes that write by themselves. */
  readonly durable?: {
    files(id: string): NonNullable<SpawnRequest['files']>;
    openLog(files: NonNullable<SpawnRequest['files']>, clock: Clock): OutputLog;
  };
  /** Another program collects the children, and often before their wait status is read; Node shows it a real-time signal as code 0. */
  readonly collectsElsewhere?: boolean;
  /** Size of the terminal that every run gets. */
  readonly terminal?: TerminalSize;
  /** Returns the living processes of the request, according to the operating system. Default: there are none to ask for. */
  members?(request: SpawnRequest): readonly number[];
  /** Tells whether no process of the request is alive, according to the operating system. */
  isGone(request: SpawnRequest): boolean;
  end(): Promise<void>;
}

interface Play {
  readonly facts: readonly ToldFact[];
  readonly log: OutputLog;
  readonly request: SpawnRequest;
  send(command: BackendCommand): void;
  cancel(): void;
  /** Resolves with the first fact of that type. */
  fact<T extends ToldFact['type']>(type: T): Promise<Extract<ToldFact, { type: T }>>;
  count(type: ToldFact['type']): number;
  printed(text: string): Promise<unknown>;
  ask(toCommand: (reply: (result: WriteResult) => void) => BackendCommand): Promise<WriteResult>;
}

/** Tests the part of the contract that depends on how a process is started. */
export function describeStart(name: string, setup: () => Promise<BackendUnderTest> | BackendUnderTest): void {
  describe(`the ${name} backend`, () => {
    test('reports the start first and once', async () => {
      const { play, work } = await arrange(setup);
      const greeting = play(work.greets);

      await greeting.fact('process.exited');
      await greeting.fact('output.ended');

      expect(greeting.facts[0]?.type).toBe('process.spawned');
      expect(greeting.count('process.spawned')).toBe(1);
    });

    test('reports pids if there are processes', async () => {
      const { play, work, backend } = await arrange(setup);

      const { pid, pgid } = await play(work.greets).fact('process.spawned');

      if (backend.capabilities.osProcesses) {
        expect(pid).toBeGreaterThan(1);
        expect(pgid).toBeGreaterThan(1);
      } else expect(typeof pid === 'number' || pid === null).toBe(true);
    });

    test('reports exit and end of output once each', async () => {
      const { play, work } = await arrange(setup);
      const greeting = play(work.greets);

      const { exit } = await greeting.fact('process.exited');
      await greeting.fact('output.ended');
      await turns();

      expect(exit).toEqual({ code: 0, signal: null });
      expect(greeting.count('process.exited')).toBe(1);
      expect(greeting.count('output.ended')).toBe(1);
    });

    test('reports a real-time signal as a signal', async () => {
      const { play, backend, collectsElsewhere } = await arrange(setup);
      if (!backend.capabilities.osProcesses || process.platform !== 'linux' || collectsElsewhere) return;
      // After a pause: Node collects a child at once that has ended before its pipes were read.
      const dying = play({ type: 'shell', shell: '/bin/sh', script: 'sleep 0.05; kill -40 $$' });

      const { exit } = await dying.fact('process.exited');

      expect(exit).toMatchObject({ code: null, signal: 'SIGRTMIN+6' });
    });

    test('delivers every byte by its stream', async () => {
      const { play, work, backend } = await arrange(setup);
      const failing = play(work.fails);

      const { exit } = await failing.fact('process.exited');
      await failing.fact('output.ended');

      expect(exit.code).toBeGreaterThan(0);
      const [stdout, stderr] = [textOf(failing.log, 'stdout'), textOf(failing.log, 'stderr')];
      if (backend.capabilities.separateStreams) {
        expect(stdout).toBe('half');
        expect(stderr).toContain('problem');
      } else expect([stdout, stderr]).toEqual(['halfproblem', '']);
    });

    test('passes exactly the given environment', async () => {
      const { play, work } = await arrange(setup);
      if (work.tells === null) return;
      const telling = play(work.tells);

      await telling.fact('output.ended');

      const { cwd, env } = telling.request;
      expect(textOf(telling.log, 'stdout')).toBe(
        `${cwd}\n${env['TROUPE_LINEAGE']}\n${Object.keys(env).length}\n`,
      );
    });

    test('ends the tree by a signal and proves it', async () => {
      const { play, work, isGone } = await arrange(setup);
      const obeying = play(work.obeys);
      await obeying.printed('up');
      expect(isGone(obeying.request)).toBe(false);

      obeying.send(endBy('SIGTERM'));
      await obeying.fact('tree.gone');

      expect(isGone(obeying.request)).toBe(true);
      await obeying.fact('process.exited');
      await obeying.fact('output.ended');
      expect(obeying.count('process.exited')).toBe(1);
    });

    test('reports a failed start once', async () => {
      const { play, work } = await arrange(setup);
      if (work.missing === null) return;
      const missing = play(work.missing);

      const { cause, message } = await missing.fact('process.spawnFailed');
      await turns();

      expect(cause).toBe('missing-program');
      expect(message).not.toBe('');
      expect(missing.facts.map(({ type }) => type)).toEqual(['process.spawnFailed']);
    });

    test('answers a command before a failed start', async () => {
      const { play, work, backend } = await arrange(setup);
      if (work.missing === null) return;
      const missing = play(work.missing, { stdin: 'pipe' });

      const answers = await Promise.all([
        missing.ask((reply) => ({ type: 'process.write', data: Buffer.from('x'), reply })),
        missing.ask((reply) => ({ type: 'process.resize', columns: 90, rows: 20, reply })),
      ]);
      missing.send({ type: 'tree.survey' });

      // The scripted backend takes any write.
      if (backend.capabilities.osProcesses) expect(answers.map(({ ok }) => ok)).toEqual([false, false]);
      expect((await missing.fact('tree.surveyed')).leftovers).toEqual([]);
      await missing.fact('process.spawnFailed');
    });

    test('writes and ends input', async () => {
      const { play, work, backend, terminal } = await arrange(setup);
      if (work.echoes === null || !backend.capabilities.input) return;
      const echoing = play(work.echoes, { stdin: 'pipe' });
      await echoing.fact('process.spawned');

      const written = await echoing.ask((reply) => ({
        type: 'process.write',
        data: Buffer.from('ping\n'),
        reply,
      }));
      await echoing.printed('ping\n');
      const ended = await echoing.ask((reply) => ({ type: 'process.endInput', reply }));

      expect(written).toEqual({ ok: true, bytesWritten: 5 });
      expect(ended.ok).toBe(true);
      expect((await echoing.fact('process.exited')).exit.code).toBe(0);
      // A terminal also shows what is typed.
      expect(textOf(echoing.log, 'stdout')).toMatch(terminal === undefined ? /^ping\n$/ : /^(ping\n){1,2}$/);
    });

    test('keeps parallel runs apart', async () => {
      const { play, work } = await arrange(setup);
      const [greeting, failing] = [play(work.greets), play(work.fails)];

      await Promise.all([greeting, failing].map((each) => each.fact('output.ended')));

      expect(textOf(greeting.log, 'stdout').trim()).toBe('hello');
      expect(textOf(failing.log, 'stdout')).toMatch(/^half/);
    });
  });
}

/** Tests every sentence of the contract in `src/spawn/backend.ts`. */
export function describeBackend(
  name: string,
  setup: () => Promise<BackendUnderTest> | BackendUnderTest,
): void {
  describeStart(name, setup);
  describe(`the ${name} backend`, () => {
    test('reports a process that ignores a signal until it is killed', async () => {
      const { play, work, isGone } = await arrange(setup);
      if (work.ignoresTerm === null) return;
      const stubborn = play(work.ignoresTerm);
      await stubborn.printed('up');

      stubborn.send(endBy('SIGTERM'));
      const { alive } = await stubborn.fact('tree.seen');
      expect(alive.length).toBeGreaterThan(0);
      expect(stubborn.count('tree.gone')).toBe(0);
      expect(isGone(stubborn.request)).toBe(false);
      stubborn.send(endBy('SIGKILL'));
      await stubborn.fact('tree.gone');

      expect(isGone(stubborn.request)).toBe(true);
      expect((await stubborn.fact('process.exited')).exit).toEqual({ code: null, signal: 'SIGKILL' });
    });

    test('reports the tree as gone for a signal after the exit', async () => {
      const { play, work } = await arrange(setup);
      const greeting = play(work.greets);
      await greeting.fact('process.exited');

      greeting.send(endBy('SIGTERM'));

      expect((await greeting.fact('tree.gone')).ended).toEqual([]);
    });

    test('finds nothing in a survey without leftovers', async () => {
      const { play, work } = await arrange(setup);
      const greeting = play(work.greets);
      await greeting.fact('process.exited');

      greeting.send({ type: 'tree.survey' });

      expect((await greeting.fact('tree.surveyed')).leftovers).toEqual([]);
    });

    test('finds leftovers in a survey and ends them by a signal', async () => {
      const { play, work, isGone } = await arrange(setup);
      if (work.leaves === null) return;
      const leaving = play(work.leaves);
      await leaving.fact('process.exited');

      leaving.send({ type: 'tree.survey' });
      const { leftovers } = await leaving.fact('tree.surveyed');
      expect(leftovers).toHaveLength(1);
      expect(leaving.count('output.ended')).toBe(0);
      leaving.send(endBy('SIGTERM'));
      const { ended } = await leaving.fact('tree.gone');

      expect(ended.map(({ pid }) => pid)).toEqual(leftovers.map(({ pid }) => pid));
      expect(isGone(leaving.request)).toBe(true);
      await leaving.fact('output.ended');
    });

    test('reports each signal that ends the tree with its reason', async () => {
      const { play, work, members } = await arrange(setup);
      const obeying = play(work.obeys);
      await obeying.printed('up');
      const alive = members?.(obeying.request) ?? [];

      obeying.send(endBy('SIGTERM'));
      await obeying.fact('tree.gone');

      const sent = obeying.facts.filter((fact) => fact.type === 'process.signalled');
      expect(sent.filter(({ signal }) => signal === 'SIGTERM')).toMatchObject([{ why: ordered }]);
      expect(sent[0]?.pids).toEqual(expect.arrayContaining([...alive]));
      const order = obeying.facts.map(({ type }) => type);
      expect(order.indexOf('process.signalled')).toBeLessThan(order.indexOf('tree.gone'));
    });

    test('sends a signal that ends nothing and says whom it reached', async () => {
      const { play, work, members } = await arrange(setup);
      const obeying = play(work.obeys);
      await obeying.printed('up');
      const { pid } = await obeying.fact('process.spawned');

      const outcome = await askTree(obeying.send, { type: 'tree.signal', signal: 'SIGWINCH', to: 'tree' });
      const toLeader = await askTree(obeying.send, { type: 'tree.signal', signal: 'SIGWINCH', to: 'leader' });

      if (pid === null) return expectRefusals([outcome, toLeader], obeying);
      expect(outcome).toMatchObject({ ok: true, running: [] });
      const reached = outcome.ok && [...outcome.pids].sort();
      // A program that has just started has no environment yet by which the test finds it.
      if (members !== undefined)
        await expect.poll(() => [...members(obeying.request)].sort(), { timeout: 10_000 }).toEqual(reached);
      expect(toLeader).toMatchObject({ ok: true, pids: [pid] });
      expect(obeying.facts.filter((fact) => fact.type === 'process.signalled').at(-1)).toMatchObject({
        ...{ signal: 'SIGWINCH', pids: [pid], via: 'process', why: ordered },
      });
      expect(obeying.count('process.exited')).toBe(0);
    });

    test('halts the whole tree until it is resumed', async () => {
      const { play, work, members } = await arrange(setup);
      // It starts a program every 50 ms.
      const restless = play(work.ignoresTerm ?? work.obeys);
      await restless.printed('up');
      const { pid } = await restless.fact('process.spawned');

      const paused = await askTree(restless.send, { type: 'tree.pause' });
      if (pid === null)
        return expectRefusals([paused, await askTree(restless.send, { type: 'tree.resume' })], restless);
      expect(paused).toMatchObject({ ok: true, running: [] });
      const halted = members?.(restless.request) ?? [];
      expect(halted.filter((each) => !isHalted(each))).toEqual([]);
      expect(restless.count('tree.paused')).toBe(1);
      const resumed = await askTree(restless.send, { type: 'tree.resume' });

      expect(resumed).toMatchObject({ ok: true });
      expect(restless.count('tree.resumed')).toBe(1);
      if (members === undefined) return;
      expect(halted).toContain(pid);
      await waitUntil(() => members(restless.request).every((each) => !isHalted(each)), {
        what: 'all of it runs again',
      });
    });

    test.each(['SIGTERM', 'SIGKILL'] as const)('ends a paused tree by %s', async (signal) => {
      const { play, work, isGone, backend } = await arrange(setup);
      const obeying = play(work.obeys);
      await obeying.printed('up');
      await askTree(obeying.send, { type: 'tree.pause' });

      obeying.send(endBy(signal));
      await obeying.fact('tree.gone');

      expect(isGone(obeying.request)).toBe(true);
      const { exit } = await obeying.fact('process.exited');
      if (backend.capabilities.osProcesses) expect(exit.signal).toBe(signal);
    });

    test('refuses to signal a tree that is gone', async () => {
      const { play, work } = await arrange(setup);
      const greeting = play(work.greets);
      await greeting.fact('process.exited');

      const outcomes = [
        await askTree(greeting.send, { type: 'tree.signal', signal: 'SIGHUP', to: 'tree' }),
        await askTree(greeting.send, { type: 'tree.pause' }),
      ];

      expectRefusals(outcomes, greeting);
    });

    test('reports quiet output once no byte has come', async () => {
      const { play, work } = await arrange(setup);
      const obeying = play(work.obeys);
      await obeying.printed('up');
      const askedAtMs = performance.now();

      obeying.send({ type: 'output.settle', quietMs: 50 });
      await obeying.fact('output.quieted');

      expect(performance.now() - askedAtMs).toBeGreaterThanOrEqual(49);
      expect(obeying.count('output.quieted')).toBe(1);
    });

    test('refuses unsupported commands with a reason', async () => {
      const { play, work, backend, terminal } = await arrange(setup);
      // A terminal takes all of them.
      if (terminal !== undefined) return;
      const obeying = play(work.obeys);
      await obeying.printed('up');
      const answers = [
        await obeying.ask((reply) => ({ type: 'process.write', data: Buffer.from('x'), reply })),
        await obeying.ask((reply) => ({ type: 'process.endInput', reply })),
      ];
      if (!backend.capabilities.terminal) {
        answers.push(
          await obeying.ask((reply) => ({ type: 'process.resize', columns: 80, rows: 24, reply })),
        );
      }

      for (const answer of answers) {
        expect(answer).toMatchObject({ ok: false, bytesWritten: 0 });
        expect('error' in answer && answer.error).toMatch(/\w.*\.$/);
      }
    });

    test('answers input after the end', async () => {
      const { play, work } = await arrange(setup);
      const greeting = play(work.greets, { stdin: 'pipe' });
      await greeting.fact('process.exited');

      const write = await greeting.ask((reply) => ({ type: 'process.write', data: Buffer.from('x'), reply }));

      expect(typeof write.ok).toBe('boolean');
    });

    test('leaves the process of a cancelled run alone', async () => {
      const { play, work, isGone } = await arrange(setup);
      const obeying = play(work.obeys);
      await obeying.printed('up');

      obeying.cancel();
      obeying.cancel();
      await turns();

      expect(isGone(obeying.request)).toBe(false);
      obeying.send(endBy('SIGKILL'));
      await waitUntil(() => isGone(obeying.request), { what: 'it is gone after the signal' });
    });
  });
}

/** Runs a backend without a supervisor, in the role of the process. */
async function arrange(setup: () => Promise<BackendUnderTest> | BackendUnderTest) {
  const underTest = await setup();
  onTestFinished(() => underTest.end());
  const clock = createRealClock();
  let count = 0;

  const play = (work: Work, options: { stdin?: SpawnRequest['stdin'] } = {}): Play => {
    count += 1;
    const id = `tool_conform${count}_${Math.random().toString(36).slice(2, 8)}`;
    const files = underTest.durable?.files(id) ?? null;
    const request: SpawnRequest = {
      id,
      attempt: 1,
      work,
      cwd: '/',
      env: {
        PATH: process.env['PATH'] ?? '',
        TROUPE_LINEAGE: `/sup_conform/${id}/`,
        ...(underTest.terminal !== undefined && { TERM: 'xterm-256color' }),
      },
      stdin: options.stdin ?? 'end',
      files,
      outlives: false,
      terminal: underTest.terminal ?? null,
      limits: null,
      secrets: [],
    };
    const log =
      files === null || underTest.durable === undefined
        ? createMemoryLog({ clock, maxBufferBytes: 64 * 1024, headBytes: 1024 })
        : underTest.durable.openLog(files, clock);
    onTestFinished(() => log.close());
    const facts: ToldFact[] = [];
    let listener: (command: BackendCommand) => void = () => {
      throw new Error('the backend listens to no commands');
    };
    const cancel = underTest.backend.run({
      request,
      output: log,
      clock,
      keepScreen: () => {},
      tell: (fact) => facts.push(fact),
      onCommand: (given) => {
        listener = given;
      },
    });
    const send = (command: BackendCommand) => listener(command);
    onTestFinished(() => cancel());
    return {
      facts,
      log,
      request,
      send,
      cancel,
      fact: <T extends ToldFact['type']>(type: T) =>
        waitUntil(() => facts.find((fact): fact is Extract<ToldFact, { type: T }> => fact.type === type), {
          what: `${type} is reported; reported were ${facts.map((fact) => fact.type).join(', ')}`,
        }) as Promise<Extract<ToldFact, { type: T }>>,
      count: (type) => facts.filter((fact) => fact.type === type).length,
      printed: (text) =>
        waitUntil(() => textOf(log, 'stdout').includes(text), { what: `${text} is printed` }),
      ask: (toCommand) => new Promise((resolve) => send(toCommand(resolve))),
    };
  };
  return { ...underTest, play };
}

/** Expects refusals in words, and no report of a signal. */
function expectRefusals(outcomes: readonly SignalOutcome[], play: Play): void {
  for (const outcome of outcomes)
    expect(outcome).toEqual({ ok: false, error: expect.stringMatching(/^It .*\.$/) });
  expect(
    ['process.signalled', 'tree.paused', 'tree.resumed'].filter((type) => play.count(type as never) > 0),
  ).toEqual([]);
}

/** Normalises output of a terminal, which is one stream with its own line ends. */
function textOf(log: OutputLog, stream: 'stdout' | 'stderr'): string {
  const streams = stream === 'stdout' ? (['stdout', 'screen'] as const) : [stream];
  const pieces = streams.flatMap((each) => [...log.chunks(0, each)]);
  const bytes = Buffer.concat(pieces.flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : [])));
  const text = bytes.toString();
  return log.chunks(0, 'screen')[Symbol.iterator]().next().done ? text : text.replaceAll('\r\n', '\n');
}

/** Waits a few turns of the event loop, in which an unexpected fact would be reported. */
async function turns(): Promise<void> {
  for (let left = 10; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}
