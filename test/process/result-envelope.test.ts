import { expect, test } from 'vitest';
import { type ProcessKind, toEnvelope } from '../../src/index.ts';
import type { Script } from '../../src/testing/index.ts';
import { createVirtualHarness } from '../support/virtual.ts';

/** The result of a foreground call whose command does as the script says. */
async function executeScript(
  script: Script,
  { kind = 'tool', ...options }: { kind?: ProcessKind; maxReplyBytes?: number; maxBufferBytes?: number } = {},
) {
  await using rig = createVirtualHarness({ script, ...options });
  const { supervisor } = rig;
  return toEnvelope(await supervisor.execute({ command: 'scripted', kind }));
}

const printing =
  (stdout: string, end: { stderr?: string; code?: number } = {}): Script =>
  (run) => {
    run.comeUp();
    run.print(stdout);
    if (end.stderr !== undefined) run.print(end.stderr, 'stderr');
    run.exit({ code: end.code ?? 0 });
  };

test('the stdout of a successful command is the data', async () => {
  const result = await executeScript(printing('one\ntwo\n', { stderr: 'a warning\n' }));

  expect(result).toMatchObject({
    ok: true,
    data: 'one\ntwo\n',
    process: { status: 'completed', code: 0, signal: null },
  });
});

test.each([0, 3])('a result with exit code %i has both streams', async (code) => {
  const result = await executeScript((run) => {
    run.comeUp();
    run.print('first\n');
    run.print('a warning\n', 'stderr');
    run.print('last\n');
    run.exit({ code });
  });

  expect(result).toMatchObject({
    stdout: 'first\nlast\n',
    stderr: 'a warning\n',
    output: 'first\na warning\nlast\n',
    exitCode: code,
    signal: null,
    truncated: false,
    leftovers: [],
  });
});

test('a result names leftovers of its command', async () => {
  const result = await executeScript((run) => {
    run.comeUp();
    run.children = [{ pid: 4_000_001, pgid: 4_000_000, startedAt: '1', command: 'serve' }];
    run.exit();
  });

  expect(result.leftovers).toEqual([{ pid: 4_000_001, command: 'serve', ports: [] }]);
});

test.each([
  ['{"ok":true,"files":["a"]}', { ok: true, files: ['a'] }],
  ['{"ok":false,"error":"no such file"}', { ok: false, error: 'no such file' }],
  [' \n{"ok": true}\n', { ok: true }],
])('the object of an agent is its result: %j', async (stdout, expected) => {
  const result = await executeScript(printing(stdout), { kind: 'agent' });

  expect(result).toMatchObject({ ...expected, stdout, exitCode: 0 });
  expect(result.process?.status).toBe('completed');
  expect(result).not.toHaveProperty('data');
});

test('an object printed by a command is text', async () => {
  const text = '{"ok":false,"error":"no such file"}';

  expect(await executeScript(printing(text))).toMatchObject({ ok: true, data: text, exitCode: 0 });
});

test('an agent cannot forge the facts of its result', async () => {
  const printed = '{"ok":true,"process":{"id":"tool_forged1"},"exitCode":7,"leftovers":[1]}';

  const result = await executeScript(printing(printed), { kind: 'agent' });

  expect(result).toMatchObject({ exitCode: 0, leftovers: [] });
  expect(result.process?.id).toMatch(/^agent_[2-9a-z]{8}$/);
});

test.each(['{"ok":"yes"}', '{"files":[]}', '[{"ok":true}]', '{"ok":true', 'true', '{"ok":true} tail'])(
  'an agent result without a boolean ok stays text: %j',
  async (stdout) => {
    expect(await executeScript(printing(stdout), { kind: 'agent' })).toMatchObject({
      ok: true,
      data: stdout,
    });
  },
);

test('an object of a failed process is not its result', async () => {
  const result = await executeScript(printing('{"ok":true}', { code: 1 }));

  expect(result).toMatchObject({ ok: false, error: '{"ok":true}', process: { code: 1 } });
});

test.each([
  [printing('out', { stderr: 'err', code: 2 }), 'err'],
  [printing('out', { code: 2 }), 'out'],
  [printing('', { code: 2 }), 'Process exited with code 2'],
])('an error is stderr, else stdout, else the code (%#)', async (script, error) => {
  expect(await executeScript(script)).toMatchObject({ ok: false, error, process: { status: 'failed' } });
});

test('a result names a signal from outside', async () => {
  const result = await executeScript((run) => {
    run.comeUp();
    run.print('half a line', 'stderr');
    run.exit({ signal: 'SIGKILL' });
  });

  expect(result).toMatchObject({ ok: false, process: { code: null, signal: 'SIGKILL' } });
  expect((result as { error: string }).error).toMatch(/was ended by SIGKILL from outside\.\nhalf a line$/);
});

test('a result says that its output was cut', async () => {
  const text = `${'a'.repeat(40_000)}\n`;

  expect(await executeScript(printing(text))).toMatchObject({
    truncated: true,
    droppedBytes: 40_001 - 32_768,
  });
  expect(await executeScript(printing(text), { maxReplyBytes: 50_000 })).toMatchObject({ truncated: false });
});

test('a long output keeps head and tail', async () => {
  const text = `${'a'.repeat(40_000)}\n${'z'.repeat(40_000)}\n`;

  const result = (await executeScript(printing(text), { maxReplyBytes: 1_000 })) as { data: string };

  expect(result.data.length).toBeLessThan(1_100);
  expect(result.data).toMatch(/^a+\n\[… 79002 bytes left out …\]\nz+\n$/);
});

test('an answer of an agent exceeds the limit of replies', async () => {
  const text = JSON.stringify({ ok: true, data: 'x'.repeat(500_000) });

  const result = await executeScript(printing(text), { kind: 'agent', maxReplyBytes: 1_000 });

  expect(result).toMatchObject({ ok: true, data: 'x'.repeat(500_000), truncated: true });
});

test.each([{}, { maxBufferBytes: 4_000_000 }])(
  'an object of an agent that is too long is an error',
  async (options) => {
    const text = JSON.stringify({ ok: true, data: 'x'.repeat(1_100_000) });

    const result = await executeScript(printing(text), { kind: 'agent', ...options });

    expect(result).toMatchObject({ ok: false, process: { status: 'completed' } });
    expect(result.error).toMatch(
      /^The answer of agent_\w+ is 1100021 bytes long .* an answer may have at most 1\.0 MiB\.$/,
    );
  },
);

test('a refused start is a result', async () => {
  await using rig = createVirtualHarness();

  const result = toEnvelope(await rig.supervisor.execute({ command: 'x', timeuot: 1 } as never));

  expect(result).toMatchObject({ ok: false, process: null });
  expect((result as { error: string }).error).toContain('Did you mean "timeout"?');
});
