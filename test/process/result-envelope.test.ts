import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createScriptedBackend, type Script } from '../../src/testing/index.ts';

/** The result of a foreground call whose command does as the script says. */
async function executeScript(script: Script, options: { maxReplyBytes?: number } = {}) {
  const backend = createScriptedBackend(script);
  await using supervisor = createSupervisor({ backend, stateDirectory: false, ...options });
  return await supervisor.execute({ command: 'scripted' });
}

const printing =
  (stdout: string, end: { stderr?: string; code?: number } = {}): Script =>
  (run) => {
    run.comeUp();
    run.print(stdout);
    if (end.stderr !== undefined) run.print(end.stderr, 'stderr');
    run.exit({ code: end.code ?? 0 });
  };

test('what a good end printed is the data', async () => {
  const result = await executeScript(printing('one\ntwo\n', { stderr: 'a warning\n' }));

  expect(result).toMatchObject({
    ok: true,
    data: 'one\ntwo\n',
    process: { status: 'completed', code: 0, signal: null },
  });
});

test.each([
  ['{"ok":true,"files":["a"]}', { ok: true, files: ['a'] }],
  ['{"ok":false,"error":"no such file"}', { ok: false, error: 'no such file' }],
  [' \n{"ok": true}\n', { ok: true }],
])('an object with ok of its own is the result: %j', async (stdout, expected) => {
  const { process, ...rest } = await executeScript(printing(stdout));

  expect(rest).toEqual(expected);
  expect(process?.status).toBe('completed');
});

test('the process beside a result cannot be forged', async () => {
  const result = await executeScript(printing('{"ok":true,"process":{"id":"tool_forged1"}}'));

  expect(result.process?.id).toMatch(/^tool_[2-9a-z]{8}$/);
  expect(result.process?.id).not.toBe('tool_forged1');
});

test.each(['{"ok":"yes"}', '{"files":[]}', '[{"ok":true}]', '{"ok":true', 'true', '{"ok":true} tail'])(
  'other text stays text: %j',
  async (stdout) => {
    expect(await executeScript(printing(stdout))).toMatchObject({ ok: true, data: stdout });
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

test('an end by a signal from outside is named', async () => {
  const result = await executeScript((run) => {
    run.comeUp();
    run.print('half a line', 'stderr');
    run.exit({ signal: 'SIGKILL' });
  });

  expect(result).toMatchObject({ ok: false, process: { code: null, signal: 'SIGKILL' } });
  expect((result as { error: string }).error).toMatch(/was ended by SIGKILL from outside\nhalf a line$/);
});

test('a long output is cut head and tail', async () => {
  const text = `${'a'.repeat(40_000)}\n${'z'.repeat(40_000)}\n`;

  const result = (await executeScript(printing(text), { maxReplyBytes: 1_000 })) as { data: string };

  expect(result.data.length).toBeLessThan(1_100);
  expect(result.data).toMatch(/^a+\n\[… 79002 bytes left out …\]\nz+\n$/);
});

test('a long object with ok is cut like text', async () => {
  const text = JSON.stringify({ ok: true, text: 'x'.repeat(5_000) });

  const result = (await executeScript(printing(text), { maxReplyBytes: 1_000 })) as { data: string };

  expect(result.data).toContain('bytes left out');
});

test('what start would throw is a result', async () => {
  await using supervisor = createSupervisor({ backend: createScriptedBackend(), stateDirectory: false });

  const result = await supervisor.execute({ command: 'x', timeuot: 1 } as never);

  expect(result).toMatchObject({ ok: false, process: null });
  expect((result as { error: string }).error).toContain('Did you mean "timeout"?');
});
