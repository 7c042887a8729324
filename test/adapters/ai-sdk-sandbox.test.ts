import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAiSdkSandbox } from '../../src/adapters/ai-sdk-sandbox.ts';
import type { Script } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

/** A sandbox in a directory of its own, whose processes are played. */
function arrange({ script }: { readonly script?: Script } = {}) {
  const place = tempDir();
  const cwd = realpathSync(place.path);
  const rig = createVirtualHarness({ cwd, ...(script && { script }) });
  const sandbox = createAiSdkSandbox({ supervisor: rig.supervisor, policy: { mode: 'dangerous' } });
  onTestFinished(async () => {
    await rig[Symbol.asyncDispose]();
    place.remove();
  });
  return { ...rig, cwd, sandbox, file: (name: string) => `${cwd}/${name}` };
}

const prints: Script = (run) => {
  run.comeUp();
  run.print('out\n');
  run.print('warned\n', 'stderr');
  run.print('put\n');
  run.exit({ code: 3 });
};

test('a run has its exit code and both streams', async () => {
  const { sandbox, run } = arrange({ script: prints });

  const result = await sandbox.run({ command: 'make', env: { A: '1' } });

  expect(result).toEqual({ exitCode: 3, stdout: 'out\nput\n', stderr: 'warned\n' });
  expect(run(0).request).toMatchObject({ env: { A: '1' }, stdin: 'end' });
});

test('the sandbox describes its directory', () => {
  const { sandbox, cwd } = arrange();

  expect(sandbox.description).toBe(`Commands run in ${cwd}. Files can be read and written inside it only.`);
});

test('a command runs in its working directory', async () => {
  const { sandbox, supervisor, file } = arrange({ script: prints });
  mkdirSync(file('sub'));

  await sandbox.run({ command: 'make', workingDirectory: 'sub' });

  expect(supervisor.list()[0]?.cwd).toBe(file('sub'));
});

test('a process that ends without an exit rejects the wait', async () => {
  const { sandbox } = arrange({
    script: (run) =>
      run.tell({ type: 'process.spawnFailed', cause: 'other', code: 'ENOENT', message: 'no such shell' }),
  });

  await expect(sandbox.run({ command: 'make' })).rejects.toThrow(
    /^Process tool_\w+ could not be started: no such shell\.$/,
  );
});

test('a spawned process has a pid, an input and streams that begin with the first byte', async () => {
  const { sandbox, run } = arrange();
  const spawned = await sandbox.spawn({ command: 'cat', stdin: true });
  run(0).print('out\n');
  run(0).print('warned\n', 'stderr');

  const writer = spawned.stdin.getWriter();
  await writer.write(Buffer.from('hello'));
  run(0).exit({ signal: 'SIGKILL' });

  expect(spawned.pid).toBe(1);
  expect(run(0).input).toBe('hello');
  expect(await spawned.wait()).toEqual({ exitCode: 137 });
  expect(await new Response(spawned.stdout).text()).toBe('out\n');
  expect(await new Response(spawned.stderr).text()).toBe('warned\n');
});

test.for([undefined, false])('a process spawned with stdin: %s has none', async (stdin) => {
  const { sandbox } = arrange();

  const spawned = await sandbox.spawn({ command: 'cat', ...(stdin !== undefined && { stdin }) });

  expect(Object.keys(spawned).sort()).toEqual(['kill', 'pid', 'stderr', 'stdout', 'wait']);
});

test('a process without a pid yet has none', async () => {
  const { sandbox } = arrange({ script: () => {} });

  const spawned = await sandbox.spawn({ command: 'cat' });

  expect(Object.keys(spawned)).not.toContain('pid');
});

test('a kill resolves when the process is gone', async () => {
  const { sandbox, supervisor } = arrange();
  const spawned = await sandbox.spawn({ command: 'serve' });
  await turn();

  expect(await spawned.kill()).toBeUndefined();

  expect(supervisor.list({ live: true })).toEqual([]);
  expect(await spawned.wait()).toEqual({ exitCode: 143 });
});

test('an aborted process rejects the wait with the reason', async () => {
  const { sandbox } = arrange();
  const aborter = new AbortController();
  const spawned = await sandbox.spawn({ command: 'serve', abortSignal: aborter.signal });
  await turn();

  aborter.abort(new Error('enough'));

  await expect(spawned.wait()).rejects.toThrow('enough');
});

test('a cancelled stream ends, and the other is whole', async () => {
  const { sandbox, run } = arrange();
  const spawned = await sandbox.spawn({ command: 'serve' });
  run(0).print('one\n');
  const reader = spawned.stdout.getReader();
  const first = await reader.read();

  await reader.cancel();
  run(0).print('two\n', 'stderr');
  run(0).exit();

  expect(new TextDecoder().decode(first.value)).toBe('one\n');
  expect(await new Response(spawned.stderr).text()).toBe('two\n');
});

test('closing is disposal', async () => {
  const { sandbox, supervisor } = arrange();
  {
    await using closing = sandbox;
    await closing.spawn({ command: 'serve' });
    await turn();
  }

  expect(supervisor.list({ live: true })).toEqual([]);
  await expect(sandbox.run({ command: 'ls' })).rejects.toThrow('The sandbox is closed');
});

const bytes = new Uint8Array([0x66, 0xfc, 0x0a]);

test('a file is written with its directories, as text, as bytes and as a stream', async () => {
  const { sandbox, file } = arrange();
  const content = new Blob(['streamed']).stream();

  await sandbox.writeTextFile({ path: 'a/b/text', content: 'für' });
  await sandbox.writeTextFile({ path: 'latin', content: 'fü', encoding: 'latin1' });
  await sandbox.writeBinaryFile({ path: 'c/bytes', content: bytes });
  await sandbox.writeFile({ path: 'stream', content });

  expect(readFileSync(file('a/b/text'), 'utf8')).toBe('für');
  expect([...readFileSync(file('latin'))]).toEqual([0x66, 0xfc]);
  expect([...readFileSync(file('c/bytes'))]).toEqual([...bytes]);
  expect(readFileSync(file('stream'), 'utf8')).toBe('streamed');
});

test('a file is read as text, as bytes and as a stream', async () => {
  const { sandbox, file } = arrange();
  writeFileSync(file('bytes'), bytes);
  const path = 'bytes';

  const binary = await sandbox.readBinaryFile({ path });
  const stream = await sandbox.readFile({ path });

  expect(await sandbox.readTextFile({ path, encoding: 'latin1' })).toBe('fü\n');
  expect(await sandbox.readTextFile({ path })).toBe('f\ufffd\n');
  expect(binary?.constructor).toBe(Uint8Array);
  expect([...(binary ?? [])]).toEqual([...bytes]);
  expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(bytes);
});

test.for([
  [{}, '1\n2\n3\n'],
  [{ startLine: 2 }, '2\n3\n'],
  [{ endLine: 2 }, '1\n2'],
  [{ startLine: 2, endLine: 3 }, '2\n3'],
  [{ startLine: 9 }, ''],
] as const)('lines %j of a text are cut', async ([lines, expected]) => {
  const { sandbox, file } = arrange();
  writeFileSync(file('unix'), '1\n2\n3\n');
  writeFileSync(file('windows'), '1\r\n2\r\n3\r\n');

  expect(await sandbox.readTextFile({ path: 'unix', ...lines })).toBe(expected);
  expect(await sandbox.readTextFile({ path: 'windows', ...lines })).toBe(expected.replaceAll('\n', '\r\n'));
});

test.for(['missing', 'file/below'])('%s, which does not exist, is null everywhere', async (path) => {
  const { sandbox, file } = arrange();
  writeFileSync(file('file'), '');

  expect(await sandbox.readFile({ path })).toBeNull();
  expect(await sandbox.readBinaryFile({ path })).toBeNull();
  expect(await sandbox.readTextFile({ path })).toBeNull();
  expect(await sandbox.stat({ path })).toBeNull();
  expect(await sandbox.deleteFile({ path })).toBe(false);
});

test('a directory is listed with the types of its entries', async () => {
  const { sandbox, file } = arrange();
  mkdirSync(file('sub'));
  writeFileSync(file('text'), 'four');
  symlinkSync('text', file('link'));

  const entries = await sandbox.listDirectory({ path: '.' });

  expect(entries?.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
    { name: 'link', type: 'symlink' },
    { name: 'sub', type: 'directory' },
    { name: 'text', type: 'file' },
  ]);
  expect(await sandbox.listDirectory({ path: 'missing' })).toBeNull();
  await expect(sandbox.listDirectory({ path: 'text' })).rejects.toThrow('ENOTDIR');
  expect(await sandbox.stat({ path: 'link' })).toEqual({ type: 'file', size: 4 });
  expect(await sandbox.stat({ path: 'sub' })).toMatchObject({ type: 'directory' });
});

test('a socket is of another type', async () => {
  const { sandbox, file } = arrange();
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(file('socket'), resolve));

  expect(await sandbox.stat({ path: 'socket' })).toMatchObject({ type: 'other' });
});

test('a directory is neither read nor deleted as a file', async () => {
  const { sandbox, file } = arrange();
  mkdirSync(file('sub'));

  await expect(sandbox.readTextFile({ path: 'sub' })).rejects.toThrow('EISDIR');
  await expect(sandbox.readBinaryFile({ path: 'sub' })).rejects.toThrow('EISDIR');
  await expect(sandbox.deleteFile({ path: 'sub' })).rejects.toThrow(/EISDIR|EPERM/);
});

test('a deleted link leaves its target', async () => {
  const { sandbox, file } = arrange();
  writeFileSync(file('text'), 'kept');
  symlinkSync('text', file('link'));

  expect(await sandbox.deleteFile({ path: 'link' })).toBe(true);
  expect(await sandbox.deleteFile({ path: 'link' })).toBe(false);
  expect(readFileSync(file('text'), 'utf8')).toBe('kept');
});

test('paths outside are refused by all that touches files', async () => {
  const { sandbox } = arrange();
  const path = '../x';
  const touching = [
    () => sandbox.readFile({ path }),
    () => sandbox.readBinaryFile({ path }),
    () => sandbox.readTextFile({ path }),
    () => sandbox.writeTextFile({ path, content: 'x' }),
    () => sandbox.stat({ path }),
    () => sandbox.listDirectory({ path }),
    () => sandbox.deleteFile({ path }),
  ];

  for (const attempt of touching) await expect(attempt()).rejects.toThrow('" is outside ');
});

test('an aborted signal touches no file', async () => {
  const { sandbox, file } = arrange();
  writeFileSync(file('text'), 'kept');
  const more = { path: 'text', abortSignal: AbortSignal.abort(new Error('late')) };
  const attempts = [
    () => sandbox.readTextFile(more),
    () => sandbox.writeTextFile({ ...more, content: 'x' }),
    () => sandbox.deleteFile(more),
  ];

  for (const attempt of attempts) await expect(attempt()).rejects.toThrow('late');
  expect(readFileSync(file('text'), 'utf8')).toBe('kept');
});

test('an aborted write of a stream is an error', async () => {
  const { sandbox } = arrange();
  const aborter = new AbortController();
  const content = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(1)),
  });
  const writing = sandbox.writeFile({ path: 'endless', content, abortSignal: aborter.signal });
  await turn();

  aborter.abort(new Error('enough'));

  await expect(writing).rejects.toThrow(/enough|aborted/);
});
