import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fromLayers, toSettings } from '../../src/policy/create-policy.ts';
import { shareSandbox } from '../../src/policy/sandbox/sandbox-runtime.ts';
import { createToolHost, type ToolHostOptions } from '../../src/tools/tool-host.ts';
import { toolSets } from '../../src/tools/tool-sets.ts';
import { arrange as arrangeMcp } from '../mcp/arrange.ts';
import { openRealHarness } from '../support/real.ts';
import { call, talk } from '../support/talk.ts';
import { dataOf, errorOf } from './arrange.ts';

/** The set `bash` on processes of the system, in a directory with a directory `sub`. */
function openShell(options: Partial<ToolHostOptions> & { readonly shell?: string } = {}) {
  const { shell, ...more } = options;
  const stage = openRealHarness(shell === undefined ? {} : { shell });
  const root = realpathSync(stage.directory);
  const sub = join(root, 'sub');
  mkdirSync(sub);
  const openHost = (owner: string) => {
    const host = createToolHost({
      ...{ supervisor: stage.supervisor, owner, tools: toolSets.bash, policy: { mode: 'dangerous' } },
      ...more,
    });
    const run = async (command: string, input: object = {}) =>
      (await host.call({ name: 'Bash', input: { command, ...input } })).answer;
    return { host, run, where: async () => dataOf(await run('pwd')).output.trimEnd() };
  };
  return {
    ...{ stage, root, sub, openHost, supervisor: stage.supervisor },
    ...openHost('agent'),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

const shells = ['/bin/bash', '/bin/sh'] as const;

test.for(shells)('cd lasts until the next command (%s)', async (shell) => {
  await using given = openShell({ shell });

  const moved = await given.run('cd sub');

  expect(dataOf(moved)).toMatchObject({ cwd: given.sub, output: '' });
  expect(await given.where()).toBe(given.sub);
});

test('a shell writes its directory to the file of its start', async () => {
  await using given = openShell();
  const cwdFile = given.stage.file('its directory');

  const result = await given.supervisor.execute({ command: 'cd sub', cwdFile });
  const start = () => given.supervisor.start({ command: ['true'], cwdFile });

  expect(result).toMatchObject({ type: 'completed', process: { commandLine: 'cd sub' } });
  expect(readFileSync(cwdFile, 'utf8')).toBe(`${given.sub}\n`);
  expect(start).toThrow('"cwdFile" is given; only a shell has a directory at its end');
});

test.for(shells)('cd in a subshell does not last (%s)', async (shell) => {
  await using given = openShell({ shell });

  const answer = await given.run('(cd sub); cd sub & wait; sh -c "cd sub"');

  expect(dataOf(answer).cwd).toBeUndefined();
  expect(await given.where()).toBe(given.root);
});

test('cd to a missing directory fails and moves nothing', async () => {
  await using given = openShell({ shell: '/bin/bash' });

  const answer = await given.run('cd nowhere');

  expect(errorOf(answer)).toContain('exited with code 1');
  expect(answer).toMatchObject({ data: { output: expect.stringMatching(/line 1: cd: nowhere: No such/) } });
  expect(await given.where()).toBe(given.root);
});

test.for([
  ['cd sub; exit 3', 3],
  ['set -e; cd sub; (exit 4); echo unreached', 4],
  ['go() { cd sub; return 5; }; go', 5],
  ['set -euC; cd sub; [ -n "$missing" ]', 1],
] as const)('a command that fails keeps its code and moves (%s)', async ([command, code]) => {
  await using given = openShell({ shell: '/bin/bash' });

  const answer = await given.run(command);

  expect(answer).toMatchObject({ ok: false, data: { exit_code: code, cwd: given.sub } });
});

test.for([
  ['cd sub; exec sh -c "exit 6"', 6],
  ['if true; then )', 2],
  ['cd sub; trap "exit 7" EXIT', 7],
] as const)('a command without a report keeps its code (%s)', async ([command, code]) => {
  await using given = openShell({ shell: '/bin/bash', ask: async () => true });

  const answer = await given.run(command);

  expect(answer).toMatchObject({ ok: false, data: { exit_code: code } });
  expect(await given.where()).toBe(given.root);
});

test('the report shows in no output and no view', async () => {
  await using given = openShell({ shell: '/bin/bash', ask: async () => true });

  const traced = dataOf(await given.run('set -x; true $#; cd sub'));
  const broken = await given.run('echo one\nfoo)');

  const shown = JSON.stringify([traced, broken, given.supervisor.list()]);
  expect(traced.output).toBe('++ true 0\n++ cd sub\n');
  expect(broken).toMatchObject({ data: { output: expect.stringContaining('`foo)') } });
  expect(shown).not.toMatch(/troupe-cwd|_troupe_text|trap /);
});

test('a command in the background does not move the directory', async () => {
  await using given = openShell();

  const started = dataOf(await given.run('cd sub; sleep 60', { run_in_background: true }));
  const slow = dataOf(await given.run('cd sub; until [ -e go ]; do sleep 0.1; done', { timeout: 200 }));
  writeFileSync(join(given.sub, 'go'), '');
  await given.supervisor.get(slow.bash_id)?.ended;

  expect([started.status, slow.status]).toEqual(['running', 'running']);
  expect(await given.where()).toBe(given.root);
});

test('two owners do not share a directory', async () => {
  await using given = openShell();
  const other = given.openHost('other');

  await given.run('cd sub');

  expect(await other.where()).toBe(given.root);
  expect(await given.where()).toBe(given.sub);
});

test('a directory that is gone is left with a notice', async () => {
  await using given = openShell();
  await given.run('cd sub');
  rmSync(given.sub, { recursive: true });

  const answer = dataOf(await given.run('pwd'));
  const next = dataOf(await given.run('pwd'));

  const { cwd } = given.supervisor;
  expect(answer.output.trimEnd()).toBe(given.root);
  expect(answer.notice).toBe(`Shell cwd was reset to ${cwd}: ${given.sub} does not exist any more.`);
  expect(next.notice).toBeUndefined();
});

test('a command that removes its directory is back at the start', async () => {
  await using given = openShell();
  await given.run('cd sub');

  const answer = dataOf(await given.run('rm -r ../sub'));

  expect(answer).toMatchObject({ cwd: given.supervisor.cwd, notice: expect.stringContaining('was reset') });
  expect(await given.where()).toBe(given.root);
});

test('the policy judges a command in the lasting directory', async () => {
  await using given = openShell({ policy: { mode: 'auto', restrictToWorkspace: true } });
  writeFileSync(join(given.root, 'kept'), '');
  await given.run('cd sub');

  const inside = await given.run('cat ../kept');
  const outside = await given.run('cat ../../kept');
  const decision = await given.host.decide({ name: 'Bash', input: { command: 'cat ../../kept' } });

  expect(inside.ok).toBe(true);
  expect(errorOf(outside)).toMatch(/^Denied: /);
  expect(decision).toMatchObject({ type: 'deny' });
});

test('a person is asked about the lasting directory', async () => {
  const asked: (string | undefined)[] = [];
  await using given = openShell({
    policy: { mode: 'default' },
    ask: async ({ start }) => {
      asked.push(start?.cwd);
      return false;
    },
  });
  mkdirSync(join(given.sub, 'x'));
  await given.host.call({ name: 'Bash', input: { command: 'cd sub' } }, { ask: async () => true });

  await given.run('rm -r x');

  expect(asked).toEqual([given.sub]);
  expect(existsSync(join(given.sub, 'x'))).toBe(true);
});

test('a directory that the policy refuses is left with a notice', async () => {
  await using given = openShell({
    policy: { mode: 'auto', restrictToWorkspace: true },
    ask: async () => true,
  });
  writeFileSync(join(given.root, 'leave.sh'), 'cd /');

  const answer = dataOf(await given.run('. ./leave.sh'));

  expect(answer.notice).toContain(`Shell cwd was reset to ${given.supervisor.cwd}.`);
  expect(await given.where()).toBe(given.root);
});

test('a sandboxed shell reports its directory, too', async () => {
  const writable: string[][] = [];
  const runtime = {
    isSupportedPlatform: () => true,
    checkDependencies: () => ({ errors: [] }),
    getConfig: () => ({ network: { allowedDomains: [] } }),
    initialize: async () => {},
    cleanupAfterCommand: () => {},
    registerCommandNetworkLists: () => {},
    reset: async () => {},
    wrapWithSandboxArgv: async (
      text: string,
      _: unknown,
      { filesystem }: { filesystem: { allowWrite: readonly string[] } },
    ) => {
      writable.push([...filesystem.allowWrite]);
      return { argv: ['/bin/bash', '-c', text] };
    },
  };
  await using given = openShell();
  const { root: workspace, supervisor } = given;
  const options = { mode: 'auto', restrictToWorkspace: true, sandbox: 'require', workspace } as const;
  const policy = fromLayers(
    [toSettings(options, workspace)],
    shareSandbox(async () => runtime as never),
  );
  const host = createToolHost({ supervisor, owner: 'boxed', tools: toolSets.bash, policy });
  const run = async (command: string) =>
    dataOf((await host.call({ name: 'Bash', input: { command } })).answer);

  await run('cd sub\necho "it\'s"');
  const { output } = await run('pwd');

  expect(output).toBe(`${given.sub}\n`);
  expect(writable[0]).toEqual([workspace, expect.stringContaining('troupe-cwd-')]);
});

test('a directory lasts in a conversation', async () => {
  await using given = openShell();
  const steps = [call('Bash', { command: 'cd sub' }), call('Bash', { command: 'pwd' }), { text: 'done' }];
  await using talking = talk(given.stage, steps, { tools: toolSets.bash });

  await talking.conversation.say('go');

  expect(talking.answers()[1]).toMatchObject({ ok: true, data: { output: `${given.sub}\n` } });
});

test('a directory lasts for an MCP client', async () => {
  await using given = openShell();
  await using mcp = await arrangeMcp({
    ...{ supervisor: given.supervisor, tools: toolSets.bash, policy: { mode: 'dangerous' } },
  });
  const run = (command: string) => mcp.client.callTool({ name: 'Bash', arguments: { command } });

  await run('cd sub');
  const answer = await run('pwd');

  expect(answer.structuredContent).toMatchObject({ ok: true, data: { output: `${given.sub}\n` } });
});
