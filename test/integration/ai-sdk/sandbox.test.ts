import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Experimental_SandboxSession, generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createSupervisor } from 'troupe';
import { createAiSdkSandbox } from 'troupe/ai-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { lives } from '../support/lives.ts';

/** A sandbox in a directory of its own, whose policy allows starts; with `keepsLogs` each process has a log file. */
function arrange({ keepsLogs = false } = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  const supervisor = createSupervisor({ stateDirectory: keepsLogs && join(cwd, '.troupe'), cwd });
  const sandbox = createAiSdkSandbox({ supervisor, policy: { mode: 'auto' } });
  onTestFinished(async () => {
    await sandbox.close();
    await supervisor.shutdown();
    rmSync(cwd, { recursive: true });
  });
  return { cwd, supervisor, sandbox: sandbox satisfies Experimental_SandboxSession };
}

test('a tool of the SDK runs a command in the sandbox', async () => {
  const { sandbox } = arrange();
  const usage = { inputTokens: {}, outputTokens: {} } as never;
  const call = {
    type: 'tool-call',
    toolCallId: 'c1',
    toolName: 'shell',
    input: '{"command":"echo out; exit 3"}',
  };
  const replies = [
    { content: [call], finishReason: { unified: 'tool-calls' } },
    { content: [{ type: 'text', text: 'Done.' }], finishReason: { unified: 'stop' } },
  ];
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({ ...replies.shift(), usage, warnings: [] }) as never,
  });
  const shell = tool({
    inputSchema: jsonSchema<{ command: string }>({
      type: 'object',
      properties: { command: { type: 'string' } },
    }),
    execute: async ({ command }, { experimental_sandbox }) => experimental_sandbox?.run({ command }),
  });

  const { steps } = await generateText({
    ...{ model, prompt: 'Run.', tools: { shell }, stopWhen: isStepCount(3) },
    experimental_sandbox: sandbox,
  });

  expect(steps[0]?.toolResults[0]?.output).toEqual({ exitCode: 3, stdout: 'out\n', stderr: '' });
});

test('a command that a signal ends has 128 and its number as exit code', async () => {
  const { sandbox } = arrange();

  expect(await sandbox.run({ command: 'kill -9 $$' })).toEqual({ exitCode: 137, stdout: '', stderr: '' });
});

test('five megabytes of output arrive whole, read at once and read late', async () => {
  const { sandbox } = arrange({ keepsLogs: true });
  const command = 'seq 1 700000';
  const whole = Array.from({ length: 700_000 }, (_, index) => `${index + 1}\n`).join('');
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');

  const ran = await sandbox.run({ command });
  const spawned = await sandbox.spawn({ command });
  await spawned.wait();
  const late = await new Response(spawned.stdout).text();

  expect([digest(ran.stdout), digest(late)]).toEqual([digest(whole), digest(whole)]);
});

test('a process reads what is written to its input until it is closed', async () => {
  const { sandbox } = arrange();
  const spawned = await sandbox.spawn({ command: 'cat; echo $NAME >&2', stdin: true, env: { NAME: 'ada' } });
  const writer = spawned.stdin.getWriter();

  await writer.write(Buffer.from('hello\n'));
  await writer.close();

  expect(await new Response(spawned.stdout).text()).toBe('hello\n');
  expect(await new Response(spawned.stderr).text()).toBe('ada\n');
  expect(await spawned.wait()).toEqual({ exitCode: 0 });
});

test('an abort kills the whole tree of a process', async () => {
  const { sandbox } = arrange();
  const aborter = new AbortController();
  const command = 'sleep 60 & echo $!; wait';
  const spawned = await sandbox.spawn({ command, abortSignal: aborter.signal });
  const first = await spawned.stdout.getReader().read();
  const child = Number(new TextDecoder().decode(first.value));

  aborter.abort(new Error('enough'));

  await expect(spawned.wait()).rejects.toThrow('enough');
  expect([lives(spawned.pid), lives(child)]).toEqual([false, false]);
});

test('closing kills what still runs and refuses further commands', async () => {
  const { sandbox } = arrange();
  const { pid } = await sandbox.spawn({ command: 'sleep 60' });

  await sandbox.close();

  expect(lives(pid)).toBe(false);
  await expect(sandbox.run({ command: 'ls' })).rejects.toThrow('The sandbox is closed');
});

test('closing kills what an ended command has left', async () => {
  const { sandbox } = arrange();
  const { stdout } = await sandbox.run({ command: 'sleep 60 >/dev/null 2>&1 & echo $!' });
  expect(lives(Number(stdout))).toBe(true);

  await sandbox.close();

  expect(lives(Number(stdout))).toBe(false);
});

test.for([
  ['nowhere', 'does not exist'],
  ['file', 'is not a directory'],
])('the directory %s is refused, since it %s', ([directory, problem]) => {
  const { cwd, supervisor } = arrange();
  writeFileSync(join(cwd, 'file'), '');

  expect(() => createAiSdkSandbox({ supervisor, directory })).toThrow(
    `createAiSdkSandbox: "directory" is "${directory}"; expected a directory that exists, and "${join(cwd, directory as string)}" ${problem}.`,
  );
});

test('the policy refuses a command of the sandbox', async () => {
  const { sandbox } = arrange();

  await expect(sandbox.run({ command: 'rm -rf /' })).rejects.toThrow('rule delete-beyond-repair');
});

test('files are written with their directories, read by lines and deleted once', async () => {
  const { sandbox } = arrange();
  const path = 'src/a.txt';

  await sandbox.writeTextFile({ path, content: '1\n2\n3' });

  expect(await sandbox.readTextFile({ path, startLine: 2, endLine: 9 })).toBe('2\n3');
  expect(await sandbox.listDirectory({ path: 'src' })).toEqual([{ name: 'a.txt', type: 'file' }]);
  expect(await sandbox.stat({ path })).toEqual({ type: 'file', size: 5 });
  expect([await sandbox.deleteFile({ path }), await sandbox.deleteFile({ path })]).toEqual([true, false]);
  expect([await sandbox.stat({ path }), await sandbox.readFile({ path })]).toEqual([null, null]);
  await expect(sandbox.listDirectory({ path: 'src/..' })).resolves.toEqual([
    { name: 'src', type: 'directory' },
  ]);
});

test.for(['../x', '/etc/passwd', 'link/passwd', 'link/new/file'])('%s outside is refused', async (path) => {
  const { sandbox, cwd } = arrange();
  symlinkSync('/etc', join(cwd, 'link'));
  const refusal = 'is outside';

  await expect(sandbox.readTextFile({ path })).rejects.toThrow(refusal);
  await expect(sandbox.writeTextFile({ path, content: 'x' })).rejects.toThrow(refusal);
  await expect(sandbox.run({ command: 'ls', workingDirectory: path })).rejects.toThrow(refusal);
});

test('a link to a file outside that does not exist is refused', async () => {
  const { sandbox, cwd } = arrange();
  const target = join(tmpdir(), `troupe-test-${process.pid}-new.txt`);
  symlinkSync(target, join(cwd, 'link'));

  await expect(sandbox.writeTextFile({ path: 'link', content: 'x' })).rejects.toThrow('is outside');

  expect(existsSync(target)).toBe(false);
});

test('an aborted write of a stream is an error', async () => {
  const { sandbox } = arrange();
  const aborter = new AbortController();
  const content = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(1)),
  });

  const writing = sandbox.writeFile({ path: 'endless', content, abortSignal: aborter.signal });
  aborter.abort(new Error('enough'));

  await expect(writing).rejects.toThrow(/enough|aborted/);
});

test('an aborted signal starts nothing', async () => {
  const { sandbox, supervisor } = arrange();

  await expect(
    sandbox.run({ command: 'ls', abortSignal: AbortSignal.abort(new Error('late')) }),
  ).rejects.toThrow('late');

  expect(supervisor.list()).toEqual([]);
});

test('a link that is deleted leaves its target', async () => {
  const { sandbox, cwd } = arrange();
  const target = join(tmpdir(), `troupe-test-${process.pid}.txt`);
  writeFileSync(target, 'kept');
  onTestFinished(() => rmSync(target));
  symlinkSync(target, join(cwd, 'link'));

  expect(await sandbox.deleteFile({ path: 'link' })).toBe(true);
  expect([existsSync(join(cwd, 'link')), existsSync(target)]).toEqual([false, true]);
});
