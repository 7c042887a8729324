import { describe, expect, test } from 'vitest';
import type { OutputLine } from '../../src/index.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

const small = { background: true, maxBufferBytes: 2048, headBytes: 0 };

describe.each([
  ['in memory', { stateDirectory: false }],
  ['in a log file', {}],
  ['in a log file at its cap', { maxLogBytes: 256 * 1024 }],
] as const)('output kept %s', (_where, options) => {
  test('reaches a slow reader without a gap', async () => {
    await using stage = openRealHarness(options);
    const handle = stage.supervisor.start({ command: 'seq 1 300000', ...small });

    let next = 1;
    for await (const { text, stream } of handle.lines()) {
      if (text !== `${next}` || stream !== 'stdout') throw new Error(`line ${next} is ${text}`);
      next += 1;
    }

    expect(next).toBe(300_001);
    expect((await handle.ended).status).toBe('completed');
  });
});

test('a kill ends a process that waits for its reader, and the reader gets the rest', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const handle = stage.supervisor.start({ command: ['yes'], killGrace: '1m', drainMax: '1m', ...small });
  const reader = handle.output({ lossless: true });
  const taken = (await reader.next()).value?.bytes.length ?? 0;
  await waitUntil(() => handle.view().output.bytes > taken, { what: 'the reader has not read all' });

  const answer = await handle.kill();

  expect(answer).toMatchObject({ type: 'killed', receipt: { signalled: 'SIGTERM', escalated: false } });
  const { offset = 0, bytes = [] } = (await Array.fromAsync(reader)).at(-1) ?? {};
  expect(offset + bytes.length).toBe(handle.view().output.bytes);
});

test('a process ends although its reader has not read its last output', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const handle = stage.supervisor.start({ command: 'seq 1 20000', drainMax: '1m', ...small });
  const lines = handle.lines();

  const view = await handle.ended;

  expect(view.status).toBe('completed');
  const seen = await Array.fromAsync(lines, ({ text }) => text);
  expect(seen).toEqual(Array.from({ length: 20_000 }, (_, index) => `${index + 1}`));
});

test('a reader that leaves lets its process continue', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const handle = stage.supervisor.start({ command: 'seq 1 300000', ...small });
  const stream = handle.toWeb();
  for await (const line of handle.lines()) if (line.text === '10') break;

  await stream.cancel();

  expect((await handle.ended).output.bytes).toBe(1_988_895);
});

test('a terminal waits for a slow reader', async () => {
  await using stage = openRealHarness({ stateDirectory: false, terminal: 'pty' });
  const handle = stage.supervisor.start({ command: 'seq 1 100000', interactive: true, ...small });

  const seen: OutputLine[] = await Array.fromAsync(handle.lines({ stream: 'screen' }));

  expect(seen.map(({ text }) => text)).toEqual(Array.from({ length: 100_000 }, (_, index) => `${index + 1}`));
});

test('a function waits for its reader where it awaits what it prints', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  let printed = 0;
  const handle = stage.supervisor.start({
    run: async ({ stdout }) => {
      for (; printed < 100; printed += 1) await stdout('x'.repeat(1_000));
    },
    ...small,
  });
  const reader = handle.output({ lossless: true });
  await reader.next();
  expect(printed).toBeLessThan(5);

  for await (const _ of reader);

  expect(printed).toBe(100);
});

test('a wrong option of an iteration throws', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const handle = stage.supervisor.start({ command: 'true', background: true });

  expect(() => handle.lines({ from: -1 })).toThrow(expect.objectContaining({ code: 'invalid-option' }));
});
