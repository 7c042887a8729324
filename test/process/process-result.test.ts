import { expect, expectTypeOf, test } from 'vitest';
import type { EndedResult, FinalView, PrintedText, ProcessResult, StartedResult } from '../../src/index.ts';
import { toEnvelope } from '../../src/index.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

type Rig = ReturnType<typeof createVirtualHarness>;

/** Plays a command to each result type; the compiler wants one for every type. */
const ways: Record<ProcessResult['type'], (rig: Rig) => Promise<ProcessResult>> = {
  completed: (rig) => execute(rig, () => rig.run(0).exit()),
  failed: (rig) => execute(rig, () => rig.run(0).exit({ code: 3 })),
  killed: (rig) => execute(rig, () => void rig.supervisor.kill(idOf(rig), { by: 'agent' })),
  timed_out: (rig) => execute(rig, () => rig.clock.advance(2_000), { onTimeout: 'kill' }),
  lost: (rig) => execute(rig, () => rig.run(0).tell({ type: 'process.lost', why: 'it went away' })),
  backgrounded: (rig) => execute(rig, () => rig.clock.advance(2_000)),
  queued: (rig) => {
    rig.supervisor.start({ command: 'holder', timeout: 0 });
    return execute(rig, () => rig.clock.advance(2_000));
  },
  survived: (rig) =>
    execute(rig, async () => {
      rig.run(0).obeys = () => false;
      void rig.supervisor.kill(idOf(rig));
      for (let step = 0; step < 5; step += 1) {
        rig.clock.advance(10_000);
        await turn();
      }
    }),
  refused: (rig) => rig.supervisor.execute({ command: '' }),
};

async function execute(
  { supervisor, backend }: Rig,
  play: () => unknown,
  options: { onTimeout?: 'kill' } = {},
): Promise<ProcessResult> {
  const result = supervisor.execute({ command: 'make', timeout: '2s', ...options });
  await turn();
  backend.lastRun.print('so far');
  await play();
  return await result;
}

function idOf({ supervisor }: Rig): string {
  return supervisor.list()[0]?.id ?? '';
}

const ended = { stdout: 'so far', output: 'so far', truncated: false, leftovers: [], suspects: [] };
const running = { message: expect.any(String) };

test.each([
  ['completed', { ...ended, exitCode: 0, signal: null, answer: null }],
  ['failed', { ...ended, exitCode: 3, signal: null, reason: { type: 'exited', code: 3 } }],
  ['killed', { ...ended, exitCode: null, signal: 'SIGTERM', by: 'agent', receipt: { survivors: [] } }],
  ['timed_out', { ...ended, signal: 'SIGTERM', limit: 'timeout', afterMs: 2_000 }],
  ['lost', { ...ended, exitCode: null, signal: null, why: 'it went away' }],
  ['backgrounded', { ...running, outputSoFar: { stdout: 'so far' }, process: { status: 'backgrounded' } }],
  ['queued', { ...running, process: { status: 'pending' } }],
  ['survived', { ...running, survivors: [{ command: 'scripted' }], process: { status: 'stopping' } }],
  ['refused', { error: { code: 'invalid-option' } }],
] as const)('a result of type %s has its facts', async (type, facts) => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });

  const result = await ways[type](rig);

  expect(result).toMatchObject({ type, ...facts });
  expect('exitCode' in result).toBe(['completed', 'failed', 'killed', 'timed_out', 'lost'].includes(type));
  for (const run of rig.backend.runs) run.obeys = () => true;
});

test.each([
  ['completed', { ok: true, data: 'so far', exitCode: 0, process: { status: 'completed', code: 0 } }],
  ['failed', { ok: false, error: 'so far', exitCode: 3 }],
  ['killed', { ok: false, error: expect.stringMatching(/was killed by the agent with SIGTERM\.\nso far$/) }],
  ['timed_out', { ok: false, error: expect.stringContaining('its limit timeout of 2s'), signal: 'SIGTERM' }],
  ['lost', { ok: false, error: expect.stringContaining('was lost: it went away'), exitCode: null }],
  [
    'backgrounded',
    { ok: true, data: { status: 'backgrounded', logFile: null }, stdout: 'so far', exitCode: null },
  ],
  ['queued', { ok: true, data: { status: 'pending', pid: null }, stdout: '', exitCode: null }],
  ['survived', { ok: false, error: expect.stringContaining('is not gone'), process: { status: 'stopping' } }],
  ['refused', { ok: false, error: expect.stringContaining('command'), process: null }],
] as const)('the envelope of a result of type %s is plain JSON', async (type, envelope) => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });

  const plain = toEnvelope(await ways[type](rig));

  expect(plain).toMatchObject(envelope);
  expect(JSON.parse(JSON.stringify(plain))).toEqual(plain);
  for (const run of rig.backend.runs) run.obeys = () => true;
});

test('the message of a killed process has the error of its input', async () => {
  await using rig = createVirtualHarness();
  const input = new ReadableStream<string>({
    start: (controller) => controller.error(new Error('disk gone')),
  });

  const result = await rig.supervisor.execute({ command: 'load', input });

  expect(result).toMatchObject({
    type: 'killed',
    message: expect.stringMatching(/with SIGTERM, because its input failed: disk gone\.$/),
  });
});

// The compiler is the test: an error that does not appear is an error.
test('a running process cannot be taken for an ended one without a type error', () => {
  const read = (result: ProcessResult) => {
    // @ts-expect-error a result may belong to a process that still runs.
    void result.exitCode;
    // @ts-expect-error its output may be incomplete.
    void result.stdout;
    // @ts-expect-error nothing may have been started.
    void result.process;
    if (result.type === 'completed') {
      expectTypeOf(result.exitCode).toEqualTypeOf<0>();
      expectTypeOf(result.process).toEqualTypeOf<FinalView>();
    }
    if (result.type === 'backgrounded') {
      // @ts-expect-error it has not ended.
      void result.exitCode;
      // @ts-expect-error only the output so far is known.
      void result.output;
      expectTypeOf(result.outputSoFar).toEqualTypeOf<PrintedText>();
    }
    if ('exitCode' in result) expectTypeOf(result).toEqualTypeOf<EndedResult>();
    if (result.type !== 'refused') expectTypeOf(result).toEqualTypeOf<StartedResult>();
    // @ts-expect-error "still running" is missing here.
    const ends: Record<ProcessResult['type'], boolean> = { completed: true, failed: true };
    void ends;
  };

  expectTypeOf(read).parameter(0).toEqualTypeOf<ProcessResult>();
});
