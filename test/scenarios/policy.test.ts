import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { PolicyOptions } from '../../src/config/policy-options.ts';
import { createPolicy } from '../../src/policy/create-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { fromPolicyText, toPolicyText } from '../../src/policy/policy-text.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { createToolHost } from '../../src/tools/tool-host.ts';
import { corpus } from '../policy/corpus.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { openRealHarness, type RealHarness } from '../support/real.ts';

/** Runs a command as a model would, and answers with what it printed. */
const run = defineTool({
  name: 'run',
  description: 'Runs a command.',
  permission: 'start',
  input: z.strictObject({
    command: z.union([z.string(), z.tuple([z.string()], z.string())]),
    cwd: z.string().optional(),
    background: z.boolean().default(false),
  }),
  intend: ({ command, cwd }) => ({
    permission: 'start',
    start: { command, ...(cwd !== undefined && { cwd }) },
  }),
  execute: async ({ command, cwd, background }, { start }) => {
    const handle = await start({ command, background, ...(cwd !== undefined && { cwd }) });
    await handle.ended;
    const heldBy = handle.view().metadata['workspaceHeldBy'];
    return { ok: true, data: { text: handle.read().text, heldBy } };
  },
});

async function call(
  stage: RealHarness,
  { policy, ...input }: { policy: Policy; command: unknown; cwd?: string; background?: boolean },
) {
  const host = createToolHost({ supervisor: stage.supervisor, tools: [run], owner: 'agent', policy });
  return (await host.call({ name: 'run', input })).answer;
}

describe('a denied command', () => {
  const refused = corpus.filter(({ expected }) => expected !== 'allow').map(({ command }) => command);
  const deletes = refused.filter(
    (command) => JSON.stringify(command).includes('rm') && !JSON.stringify(command).includes('0000'),
  );

  test('starts nothing in any disguise', async () => {
    await using stage = openRealHarness();
    const policy = createPolicy({ mode: 'auto', workspace: stage.directory });

    for (const command of deletes) {
      const answer = await call(stage, { policy, command });
      expect({ command, answer }).toMatchObject({
        answer: { ok: false, error: expect.stringMatching(/^Denied: /) },
      });
    }

    expect(deletes.length).toBeGreaterThan(100);
    expect(stage.supervisor.list()).toEqual([]);
  });

  test('is text where it is text', async () => {
    await using stage = openRealHarness();
    const policy = createPolicy({ mode: 'auto', workspace: stage.directory });
    const command = "echo 'rm -rf /' # rm -rf /\ncat <<EOF\nshutdown now\nEOF\n";

    expect(await call(stage, { policy, command })).toMatchObject({
      ok: true,
      data: { text: 'rm -rf /\nshutdown now\n' },
    });
  });
});

describe('a workspace', () => {
  const outside = tempDir();
  writeFileSync(outside.file('key'), 'the secret');
  afterAll(() => outside.remove());

  function openWorkspace() {
    const stage = openRealHarness();
    symlinkSync(outside.path, stage.file('link'));
    mkdirSync(stage.file('sub'));
    writeFileSync(stage.file('own'), 'our own');
    const options: PolicyOptions = { mode: 'auto', workspace: stage.directory, restrictToWorkspace: true };
    return { stage, policy: createPolicy(options), options };
  }

  test.each([
    ['an absolute path', (path: string) => `cat ${path}/key`],
    ['a link', () => 'cat link/key'],
    ['a way up', (path: string) => `cat ../${path.split('/').at(-1)}/key`],
    ['cd', (path: string) => `cd ${path} && cat key`],
    ['cd and a way up', (path: string) => `cd sub; cat ../../${path.split('/').at(-1)}/key`],
    ['another shell', (path: string) => `sh -c 'cat ${path}/key'`],
    ['a program and its argument', (path: string) => ['cat', `${path}/key`]],
    ['what cannot be told', (path: string) => `X=${path}; cat $X/key`],
  ])('is not left by %s, wherever it starts', async (_, write) => {
    const { stage, policy, options } = openWorkspace();
    await using _stage = stage;
    const command = write(outside.path);
    const delegated = policy.narrow({ ...options, mode: 'dangerous' });
    const remote = fromPolicyText(toPolicyText(policy));

    const answers = [
      await call(stage, { policy, command }),
      await call(stage, { policy, command, background: true }),
      await call(stage, { policy: delegated, command }),
      await call(stage, { policy: remote, command }),
    ];

    expect(answers.map(({ ok }) => ok)).toEqual([false, false, false, false]);
    expect(JSON.stringify(answers)).not.toContain('the secret');
    expect(stage.supervisor.list()).toEqual([]);
  });

  test('is what a command works in', async () => {
    const { stage, policy } = openWorkspace();
    await using _stage = stage;

    const answer = await call(stage, { policy, command: 'cd sub && cat ../own', background: true });

    expect(answer).toMatchObject({
      ok: true,
      data: { text: 'our own', heldBy: expect.stringMatching(/^(check|sandbox)$/) },
    });
  });

  test('is not left by a directory', async () => {
    const { stage, policy } = openWorkspace();
    await using _stage = stage;

    expect(await call(stage, { policy, command: 'cat key', cwd: outside.path })).toMatchObject({ ok: false });
    expect(await call(stage, { policy, command: 'cat own', cwd: stage.directory })).toMatchObject({
      ok: true,
    });
  });
});

describe('the sandbox of the operating system', async () => {
  const probe = tempDir();
  const policy = createPolicy({
    mode: 'auto',
    workspace: probe.path,
    restrictToWorkspace: true,
    sandbox: 'require',
  });
  const why = await policy.prepare({ command: 'true' }).then(
    () => null,
    (error: Error) => error.message,
  );
  await policy.close();
  probe.remove();
  if (why !== null) console.warn(`The real sandbox is NOT tested here: ${why}`);

  test.skipIf(why !== null)('keeps writes in the workspace', { timeout: 60_000 }, async () => {
    await using stage = openRealHarness();
    using outside = tempDir();
    const sandboxed = createPolicy({
      mode: 'auto',
      workspace: stage.directory,
      restrictToWorkspace: true,
      sandbox: 'require',
    });
    // No check sees what this program does.
    writeFileSync(
      join(stage.directory, 'writes.sh'),
      `echo inside > inside.txt\necho outside > ${outside.file('outside.txt')} || echo refused\n`,
    );

    const answer = await call(stage, { policy: sandboxed, command: 'sh writes.sh' });
    await sandboxed.close();

    expect(answer).toMatchObject({
      ok: true,
      data: { text: expect.stringContaining('refused'), heldBy: 'sandbox' },
    });
    expect(readFileSync(stage.file('inside.txt'), 'utf8')).toBe('inside\n');
    expect(existsSync(outside.file('outside.txt'))).toBe(false);
  });

  test.skipIf(why !== null)('ends with its process', { timeout: 60_000 }, async () => {
    await using stage = openRealHarness();
    const sandboxed = createPolicy({
      mode: 'auto',
      workspace: stage.directory,
      restrictToWorkspace: true,
      sandbox: 'require',
    });
    const { command } = await sandboxed.prepare({ command: 'sleep 100 & echo up; sleep 100' });
    const handle = stage.supervisor.start({
      command: [...command] as [string, ...string[]],
      background: true,
    });
    await waitUntil(() => handle.read().text.includes('up'));

    await handle.kill();
    await sandboxed.close();

    expect(stage.alive(handle.id)).toEqual([]);
  });
});
