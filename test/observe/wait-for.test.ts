import { expect, test } from 'vitest';
import { TroupeError, waitFor } from '../../src/index.ts';
import { settle } from '../readiness/rig.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { createVirtualHarness } from '../support/virtual.ts';

test('without a condition the end is waited for', async () => {
  await using given = arrange();
  const waiting = given.begin({});
  const waited = !waiting.isOver;

  given.run.print('bye\n');
  given.run.exit({ code: 3 });

  expect(waited).toBe(true);
  expect(await waiting.answer).toMatchObject({
    end: { type: 'met' },
    met: ['exit'],
    missing: [],
    matchedLine: null,
    process: { status: 'failed', exit: { code: 3 } },
  });
});

test('a process that has ended answers at once', async () => {
  await using given = arrange();
  given.run.print('done 42\n');
  given.run.exit();
  await given.handle.ended;

  const byExit = await waitFor(given.handle, { clock: given.clock });
  const byPattern = await waitFor(given.handle, { pattern: 'done (\\d+)' });
  const inVain = await waitFor(given.handle, { text: 'never', ready: true, quiet: '1h', input: true });

  expect(byExit).toMatchObject({ met: ['exit'], waitedMs: 0 });
  expect(byPattern).toMatchObject({ met: ['pattern'], matchedLine: 'done 42' });
  expect(inVain.end.type).not.toBe('met');
});

test('a match may lie before the call', async () => {
  await using given = arrange();
  given.run.print('listening on 1\n');
  const offset = given.handle.read({ tail: 0 }).to;
  const { positions } = given.handle.read({ tail: 0 });

  const fromStart = await waitFor(given.handle, { text: 'listening' });
  const fromOffset = given.begin({ text: 'listening', from: offset });
  const fromPositions = given.begin({ text: 'listening', from: positions });
  const fromNow = given.begin({ text: 'listening', from: 'now' });
  await settle();
  const early = [fromOffset, fromPositions, fromNow].map(({ isOver }) => isOver);
  given.run.print('listening on 2\n');
  const late = await Promise.all([fromOffset, fromPositions, fromNow].map(({ answer }) => answer));

  expect(fromStart.matchedLine).toBe('listening on 1');
  expect(early).toEqual([false, false, false]);
  expect(late.map(({ matchedLine }) => matchedLine)).toEqual(Array(3).fill('listening on 2'));
});

test('a process is not ready once its leader has exited', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({
    ...{ command: 'x', background: true, ready: { line: 'up' } },
    restart: { policy: 'permanent' },
  });
  rig.run(0).print('up\n');
  await handle.ready();
  rig.run(0).holdsOutput = true;
  rig.run(0).exit();

  const { status } = handle.view();
  const ready = handle.ready();
  const waiting = waitFor(handle, { clock: rig.clock, ready: true });
  await rig.pass(2_000);
  const attemptWhileWaiting = handle.view().attempt;
  rig.run(1).print('up\n');

  expect(status).toBe('backgrounded');
  expect(attemptWhileWaiting).toBe(2);
  expect(await ready).toMatchObject({ state: 'ready' });
  expect(await waiting).toMatchObject({ met: ['ready'], process: { attempt: 2 } });
  expect((await waiting).waitedMs).toBeGreaterThan(0);
});

test('an offset counts the bytes of all streams', async () => {
  await using given = arrange();
  given.run.print('warning\n', 'stderr');
  given.run.print('ready one\n');
  const offset = given.handle.read({ tail: 0 }).to;
  given.run.print('ready two\n', 'stderr');

  const waited = await waitFor(given.handle, { text: 'ready', from: offset });
  const inVain = given.begin({ text: 'one', from: offset });
  await settle();

  expect(waited.matchedLine).toBe('ready two');
  expect(inVain.isOver).toBe(false);
});

test.each([
  ['any', { text: 'needle' }],
  ['any', { text: 'needle', exit: true }],
  ['all', { text: 'needle', pattern: 'need.e' }],
] as const)('all of an ended log is searched: %s of %j', async (mode, conditions) => {
  await using given = arrange({ lifetime: 'persistent' });
  given.run.print(`${hay}needle\nhay\n`);
  given.run.exit();
  await given.handle.ended;

  const found = await waitFor(given.handle, { ...conditions, mode });
  const missed = await waitFor(given.handle, { text: 'thread' });

  expect(found).toMatchObject({ end: { type: 'met' }, matchedLine: 'needle' });
  expect(found.met).not.toContain('exit');
  expect(missed).toMatchObject({ end: { type: 'ended' }, missing: ['text'] });
});

test('the search of an ended log can be interrupted', async () => {
  await using given = arrange({ lifetime: 'persistent' });
  given.run.print(hay);
  given.run.exit();
  await given.handle.ended;
  const late = given.begin({ text: 'needle', timeout: 5 });

  given.clock.advance(5);
  const interrupted = await waitFor(given.handle, { text: 'needle', signal: AbortSignal.abort() });

  expect((await late.answer).end.type).toBe('timeout');
  expect(interrupted.end.type).toBe('interrupted');
});

test('an impossible condition leaves the others open', async () => {
  await using given = arrange();
  given.run.print('hello\n');
  const hopeless = { ready: true, input: true };

  const already = await waitFor(given.handle, { ...hopeless, text: 'hello' });
  const later = given.begin({ ...hopeless, text: 'bye', timeout: '1s' });
  const late = given.begin({ ...hopeless, text: 'never', timeout: '1s' });
  const none = await waitFor(given.handle, hopeless);
  const all = await waitFor(given.handle, { ready: true, text: 'never', mode: 'all' });
  given.run.print('bye\n');
  await later.answer;
  given.clock.advance(1_000);

  const ready = expect.stringMatching(/^ready: it was started without a readiness condition/);
  const input = expect.stringMatching(/^input: it has neither/);
  expect(already).toMatchObject({ end: { type: 'met' }, met: ['text'] });
  expect(await later.answer).toMatchObject({ end: { type: 'met' }, met: ['text'] });
  expect(await late.answer).toMatchObject({ end: { type: 'timeout' }, impossible: [ready, input] });
  expect(none).toMatchObject({ end: { type: 'impossible', why: ready }, impossible: [ready, input] });
  expect(all).toMatchObject({ end: { type: 'impossible', why: ready }, missing: ['text', 'ready'] });
});

test('a met condition is watched no longer', async () => {
  await using given = arrange();
  const before = given.clock.pending;
  const waiting = given.begin({ text: 'never', quiet: '1s', mode: 'all' });

  given.clock.advance(1_000);

  expect(given.clock.pending).toBe(before);
  given.run.exit();
  expect(await waiting.answer).toMatchObject({ end: { type: 'ended' }, met: ['quiet'] });
});

test('any one is enough, or all of them', async () => {
  await using given = arrange();
  const any = given.begin({ text: 'up', exit: true });
  const all = given.begin({ text: 'up', exit: true, mode: 'all' });

  given.run.print('up\n');
  await settle();
  const overs = [any.isOver, all.isOver];
  given.run.exit();

  expect(overs).toEqual([true, false]);
  expect(await any.answer).toMatchObject({ met: ['text'], missing: ['exit'] });
  expect(await all.answer).toMatchObject({ end: { type: 'met' }, met: ['text', 'exit'], missing: [] });
});

test('time and interruption end a wait, and nothing else', async () => {
  await using given = arrange();
  const aborter = new AbortController();
  const late = given.begin({ text: 'x', timeout: '7s' });
  const interrupted = given.begin({ text: 'x', signal: aborter.signal });
  const never = await waitFor(given.handle, { text: 'x', signal: AbortSignal.abort() });

  given.clock.advance(7_000);
  aborter.abort();

  expect(await late.answer).toMatchObject({ end: { type: 'timeout' }, missing: ['text'], waitedMs: 7_000 });
  expect(await interrupted.answer).toMatchObject({ end: { type: 'interrupted' } });
  expect(never.end.type).toBe('interrupted');
  expect(given.handle.status).toBe('backgrounded');
  expect(given.run.signals).toEqual([]);
});

test.each([
  ['that is invalid', '(', 'is not a regular expression'],
  ['that never ends', '^(a+)+$', 'takes too long'],
])('an expression %s is explained and the process continues', async (_what, pattern, words) => {
  await using given = arrange();
  given.run.print(`${'a'.repeat(40)}!\n`);

  const waited = await waitFor(given.handle, { pattern, clock: given.clock });

  expect(waited).toMatchObject({ met: [], missing: ['pattern'], matchedLine: null });
  expect(waited.end).toEqual({ type: 'impossible', why: expect.stringContaining(words) });
  expect(given.handle.status).toBe('backgrounded');
});

test('a process without input waits for none', async () => {
  await using given = arrange();

  const waited = await waitFor(given.handle, { input: true, clock: given.clock });

  expect(waited.end).toEqual({ type: 'impossible', why: expect.stringContaining('neither a terminal') });
});

test('a prompt is a hint where the system cannot say', async () => {
  await using given = arrange({ stdin: 'pipe' });
  given.run.print('log line?\n');
  const waiting = given.begin({ input: true });
  await settle();
  given.clock.advance(60_000);
  await settle();
  const afterLogLine = waiting.isOver;

  given.run.print('Password: ');
  given.clock.advance(300);

  expect(afterLogLine).toBe(false);
  expect((await waiting.answer).process.awaitsInput).toMatchObject({
    kind: 'secret',
    certainty: 'hint',
    prompt: 'Password:',
  });
});

test('the view shows the progress of a process', async () => {
  await using given = arrange();
  const before = given.handle.view().progress;
  given.run.print('Downloading 12/40\r');
  const during = given.handle.view().progress;
  const again = given.handle.view().progress;
  given.run.print('\nDone.\n');
  const after = given.handle.view().progress;
  given.run.print('Downloading 39/40');
  given.run.exit();

  expect([before, after, given.handle.view().progress]).toEqual([null, null, null]);
  expect(during).toEqual({ percent: 30, state: 'running', text: '12/40' });
  expect(again).toBe(during);
});

test('a wait leaves nothing behind', async () => {
  await using given = arrange();
  const before = given.clock.pending;
  const waiting = given.begin({ text: 'x', quiet: '1h', port: 4711, file: 'nowhere', timeout: '2h' });
  await settle();
  const during = given.clock.pending;

  given.run.print('x');
  await waiting.answer;
  await settle();

  expect(during).toBeGreaterThan(before);
  expect(given.clock.pending).toBe(before);
});

test('a detached process ends the wait for it', async () => {
  await using given = arrange({ lifetime: 'persistent' });
  const waiting = given.begin({ text: 'never' });

  await given.supervisor.shutdown();

  expect((await waiting.answer).end).toEqual({
    type: 'impossible',
    why: expect.stringContaining('its supervisor ended'),
  });
});

test.each([
  [{ timout: 5 }, 'timeout'],
  [{ port: 70_000 }, '65535'],
  [{ http: 'ftp://x/y' }, 'https://'],
  [{ quiet: 'soon' }, 'a duration'],
  [{ from: -1 }, 'from'],
  [{ signal: 3 }, 'AbortSignal'],
])('the options %j are refused by name', async (options, words) => {
  await using given = arrange();

  const refused = waitFor(given.handle, options as never);

  await expect(refused).rejects.toThrow(TroupeError);
  await expect(refused).rejects.toThrow(words);
});

/** More than is searched in one turn. */
const hay = `${'hay '.repeat(1_000)}\n`.repeat(400);

type Options = Parameters<typeof waitFor>[1];

function arrange(more: { stdin?: 'pipe'; lifetime?: 'persistent' } = {}) {
  const rig =
    more.lifetime === undefined
      ? createVirtualHarness()
      : openDirectoryHarness({ recordsIn: 'files' }).open();
  const { supervisor, backend, clock } = rig;
  const handle = supervisor.start({ command: 'x', background: true, ...more });
  return {
    ...rig,
    handle,
    run: backend.lastRun,
    begin: (options: Options) => {
      const waiting = { isOver: false, answer: waitFor(handle, { clock, ...options }) };
      void waiting.answer.then(() => {
        waiting.isOver = true;
      });
      return waiting;
    },
  };
}
