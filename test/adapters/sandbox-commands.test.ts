import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import {
  createSandboxCommands,
  type SandboxCommand,
  type SandboxOptions,
  toExitCode,
} from '../../src/adapters/sandbox-commands.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

/** Commands in a directory of its own, whose processes are played by hand. */
function arrange(options: Partial<SandboxOptions> = {}) {
  const place = tempDir();
  const cwd = realpathSync(place.path);
  const rig = createVirtualHarness({ cwd });
  onTestFinished(async () => {
    await rig[Symbol.asyncDispose]();
    place.remove();
  });
  const open = (more: Partial<SandboxOptions> = {}) => {
    const given = { supervisor: rig.supervisor, owner: 'agent', policy: { mode: 'dangerous' } } as const;
    return createSandboxCommands({ ...given, ...options, ...more }, 'createBox');
  };
  const commands = open();
  const start = (command: string, more: Partial<SandboxCommand> = {}): Promise<ProcessHandle> =>
    commands.start({ command, ...more }, (handle) => handle);
  return { ...rig, cwd, commands, open, start };
}

test('a command is a process of the owner in the directory', async () => {
  const { start, commands, cwd, supervisor, run } = arrange();

  const handle = await start('make', { env: { A: '1', B: undefined } });
  await turn();

  expect([commands.owner, commands.directory, commands.description]).toEqual([
    'agent',
    cwd,
    `Commands run in ${cwd}.`,
  ]);
  expect(supervisor.list()).toEqual([handle.view()]);
  expect(handle.view()).toMatchObject({ owner: 'agent', commandLine: 'make', cwd, takesInput: false });
  expect(run(0).request).toMatchObject({ stdin: 'end', env: { A: '1' } });
});

test('the same command runs twice at once', async () => {
  const { start } = arrange();

  const [one, two] = [await start('make'), await start('make')];

  expect(one.id).not.toBe(two.id);
});

test.for([
  [true, 'pipe'],
  [false, 'end'],
  [undefined, 'end'],
] as const)('stdin: %s gives the command %s', async ([stdin, expected]) => {
  const { start, run } = arrange();

  await start('cat', { stdin });
  await turn();

  expect(run(0).request.stdin).toBe(expected);
});

test('a timeout kills the command, and 0 is none', async () => {
  const { start, pass } = arrange();
  const limited = await start('one', { timeout: 300 });
  const unlimited = await start('two', { timeout: 0 });

  await pass(290);
  const before = limited.view().status;
  await pass(100);

  expect([before, limited.view().status, unlimited.view().status]).toEqual([
    'backgrounded',
    'timed_out',
    'backgrounded',
  ]);
});

test('an abort kills the command, also after its start', async () => {
  const { start, run } = arrange();
  const aborter = new AbortController();
  const handle = await start('make', { signal: aborter.signal });
  await turn();

  aborter.abort(new Error('enough'));
  await handle.ended;

  expect(run(0).signals).toEqual(['SIGTERM']);
});

test('an aborted signal starts nothing', async () => {
  const { start, supervisor } = arrange();

  await expect(start('make', { signal: AbortSignal.abort(new Error('late')) })).rejects.toThrow('late');
  expect(supervisor.list()).toEqual([]);
});

test('a signal aborted during the question is the reason of the rejection', async () => {
  const aborter = new AbortController();
  const { start, supervisor } = arrange({
    policy: { mode: 'default' },
    ask: async () => {
      aborter.abort(new Error('enough'));
      return true;
    },
  });

  await expect(start('make', { signal: aborter.signal })).rejects.toThrow('enough');
  expect(supervisor.list()).toEqual([]);
});

test('a command that a person denies is refused with the reason', async () => {
  const asked: string[] = [];
  const { start, supervisor } = arrange({
    ...{ policy: { mode: 'default' }, agent: 'Builder' },
    ask: async ({ agent }) => {
      asked.push(agent);
      return false;
    },
  });

  await expect(start('make')).rejects.toThrow(/^Denied: /);
  expect(asked).toEqual(['Builder']);
  expect(supervisor.list()).toEqual([]);
});

test('an empty command is refused', async () => {
  const { start } = arrange();

  await expect(start('')).rejects.toThrow('command is required');
});

test('a negative timeout is refused', async () => {
  const { start, supervisor } = arrange();

  await expect(start('make', { timeout: -1 })).rejects.toThrow(
    /^sandbox_command: "timeout" is -1; expected /,
  );
  expect(supervisor.list()).toEqual([]);
});

test('closing kills what runs, and refuses further commands', async () => {
  const { commands, start } = arrange();
  const handle = await start('make');
  await turn();

  await commands.close();

  expect(handle.view().status).toBe('killed');
  await expect(start('git status')).rejects.toThrow(
    'The sandbox is closed, so "git status" was not started.',
  );
});

test('killing all leaves the sandbox open', async () => {
  const { commands, start } = arrange();
  const [one, two] = [await start('one'), await start('two')];
  await turn();

  await commands.killAll();
  const three = await start('three');

  expect([one, two, three].map((handle) => handle.view().status)).toEqual([
    'killed',
    'killed',
    'backgrounded',
  ]);
});

test('killing all reaches what an ended command has left', async () => {
  const { commands, start, run } = arrange();
  const handle = await start('serve &');
  await turn();
  run(0).children = [{ pid: 99, pgid: 99, startedAt: '0', command: 'serve' }];
  run(0).exit();
  await handle.ended;

  await commands.killAll();

  expect(run(0).children).toEqual([]);
});

test('a directory below that of the supervisor confines paths and commands', async () => {
  const { open, cwd } = arrange();
  mkdirSync(`${cwd}/sub/deep`, { recursive: true });
  const commands = open({ directory: 'sub' });

  const handle = await commands.start({ command: 'make', cwd: 'deep' }, (started) => started);

  expect(commands.directory).toBe(`${cwd}/sub`);
  expect(handle.view().cwd).toBe(`${cwd}/sub/deep`);
  expect(await commands.confine('deep/../new/file')).toBe(`${cwd}/sub/new/file`);
  expect(await commands.confine('.')).toBe(`${cwd}/sub`);
});

test.for(['..', '/etc', 'link', 'link/passwd', '../subway'])(
  'the path %s outside is refused',
  async (path) => {
    const { open, cwd } = arrange();
    mkdirSync(`${cwd}/sub`);
    symlinkSync('/etc', `${cwd}/sub/link`);
    const commands = open({ directory: 'sub' });
    const message = `"${path}" is outside ${cwd}/sub, the directory of this sandbox. Use a path inside it.`;

    await expect(commands.confine(path)).rejects.toMatchObject({ code: 'invalid-option', message });
    await expect(commands.start({ command: 'ls', cwd: path }, () => null)).rejects.toThrow(message);
  },
);

test('a directory behind a link is the place behind it', async () => {
  const { open, cwd } = arrange();
  mkdirSync(`${cwd}/real`);
  symlinkSync(`${cwd}/real`, `${cwd}/link`);

  expect(await open({ directory: 'link' }).confine('x')).toBe(`${cwd}/real/x`);
});

test.for([
  ['nowhere', '"nowhere"; expected a directory that exists, and "CWD/nowhere" does not exist.'],
  ['file', '"file"; expected a directory that exists, and "CWD/file" is not a directory.'],
  ['file/x', '"file/x"; expected a directory that exists, and "CWD/file/x" does not exist.'],
  ['loop', '"loop"; expected a directory that exists, and "CWD/loop" cannot be read (ELOOP).'],
  ['', '""; expected a value that is not empty.'],
] as const)('the directory "%s" is refused', ([directory, expected]) => {
  const { open, cwd } = arrange();
  writeFileSync(`${cwd}/file`, '');
  symlinkSync(`${cwd}/loop`, `${cwd}/loop`);

  expect(() => open({ directory })).toThrow(`createBox: "directory" is ${expected.replace('CWD', cwd)}`);
});

test.for([
  [null, null],
  [{ code: 0, signal: null }, 0],
  [{ code: 3, signal: null }, 3],
  [{ code: null, signal: 'SIGKILL' }, 137],
  [{ code: null, signal: 'SIGTERM' }, 143],
  [{ code: null, signal: null }, null],
] as const)('the exit %j has the code %s', ([exit, code]) => {
  expect(toExitCode(exit)).toBe(code);
});
