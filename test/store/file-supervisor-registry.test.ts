import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import type { SupervisorEntry } from '../../src/store/supervisor-registry.ts';
import { endAll, isAlive, startTicksOf, stateOf, tempDir } from '../support/os.ts';

const isRoot = process.geteuid?.() === 0;
const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const pidNamespace = readlinkSync('/proc/self/ns/pid');
const unusedPid = 2 ** 22 + 1;

/** The entry that the test program itself writes. */
const ownEntry: SupervisorEntry = {
  version: 1,
  id: 'sup_a',
  pid: process.pid,
  startedAt: startTicksOf(process.pid),
  bootId,
  pidNamespace,
  since: 5_000,
  role: 'program',
  socket: null,
};

function arrange() {
  const temp = tempDir();
  onTestFinished(() => temp.remove());
  const paths = toStatePaths(temp.file('.troupe'));
  let nowAt = 5_000;
  const open = () =>
    createFileSupervisorRegistry({ directory: paths.directory, clock: { epochMs: () => nowAt } });
  const plantText = (id: string, text: string) => {
    mkdirSync(paths.supervisors, { recursive: true });
    writeFileSync(paths.supervisorOf(id), text);
  };
  return {
    paths,
    registry: open(),
    open,
    plantText,
    plant: (fields: Partial<SupervisorEntry>) =>
      plantText('sup_a', JSON.stringify({ ...ownEntry, ...fields })),
    textOf: (id: string) => readFileSync(paths.supervisorOf(id), 'utf8'),
    passMs: (ms: number) => {
      nowAt += ms;
    },
  };
}

describe('an entry', () => {
  test('names the program that registered it', () => {
    const { registry, open, textOf } = arrange();

    registry.register({ id: 'sup_a', role: 'program', socket: null });

    expect(JSON.parse(textOf('sup_a'))).toEqual(ownEntry);
    expect(open().list()).toEqual([{ entry: ownEntry, state: 'alive' }]);
    expect(open().stateOf('sup_a')).toBe('alive');
  });

  test('is created by the first registration and private to the user', () => {
    const { registry, paths } = arrange();
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    expect([registry.list(), registry.stateOf('sup_a')]).toEqual([[], 'dead']);
    registry.unregister('sup_a');
    expect(statSync(paths.directory, { throwIfNoEntry: false })).toBeUndefined();

    registry.register({ id: 'sup_a', role: 'program', socket: null });

    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect([paths.directory, paths.supervisors].map(modeOf)).toEqual([0o700, 0o700]);
    expect(modeOf(paths.supervisorOf('sup_a'))).toBe(0o600);
  });

  test('keeps its start time when the same program replaces it', () => {
    const { registry, open, passMs, paths } = arrange();
    const socket = `${paths.supervisors}/sup_a.sock`;
    registry.register({ id: 'sup_a', role: 'daemon', socket: null });
    passMs(1_000);

    registry.register({ id: 'sup_a', role: 'daemon', socket });

    expect(open().list()).toEqual([{ entry: { ...ownEntry, role: 'daemon', socket }, state: 'alive' }]);
  });

  test('gets a new start time when it replaces that of an earlier program', () => {
    const { registry, plant, open } = arrange();
    plant({ startedAt: '1', since: 1 });

    registry.register({ id: 'sup_a', role: 'program', socket: null });

    expect(open().list()[0]?.entry.since).toBe(5_000);
  });
});

describe('a supervisor', () => {
  test.each([
    ['whose pid now belongs to another program is dead', { startedAt: '1' }, 'dead'],
    ['whose pid is unused is dead', { pid: unusedPid }, 'dead'],
    ['of another boot is dead even if its pid is in use', { bootId: 'other' }, 'dead'],
    ['of another boot and namespace is dead', { bootId: 'other', pidNamespace: 'pid:[1]' }, 'dead'],
    ['of another namespace is elsewhere', { pidNamespace: 'pid:[1]' }, 'elsewhere'],
    [
      'of another namespace is elsewhere even if its pid is unused',
      { pidNamespace: 'pid:[1]', pid: unusedPid },
      'elsewhere',
    ],
    ['of an unknown boot is elsewhere', { bootId: null, pid: unusedPid }, 'elsewhere'],
    ['of an unknown namespace is elsewhere', { pidNamespace: null, pid: unusedPid }, 'elsewhere'],
    ['with an unknown start time is alive while its pid is in use', { startedAt: null }, 'alive'],
    [
      'with an unknown start time is dead once its pid is unused',
      { startedAt: null, pid: unusedPid },
      'dead',
    ],
  ] as const)('%s', (_, fields, state) => {
    const { registry, plant } = arrange();
    plant(fields);

    expect(registry.stateOf('sup_a')).toBe(state);
    expect(registry.list()).toEqual([{ entry: { ...ownEntry, ...fields }, state }]);
  });

  test('is dead once it is a zombie', async () => {
    const { registry, plant } = arrange();
    const child = spawn('true', { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const pid = child.pid ?? 0;
    plant({ pid, startedAt: startTicksOf(pid) });
    // Busy waiting: the exit is collected as soon as the event loop turns.
    while (stateOf(pid) !== 'Z') expect(stateOf(pid)).not.toBeNull();

    expect(registry.stateOf('sup_a')).toBe('dead');

    await ended;
  });

  test('in another program is alive until that program is killed', async () => {
    const { registry, paths } = arrange();
    const module = new URL('../../src/store/file-supervisor-registry.ts', import.meta.url);
    const program = `
      import { createFileSupervisorRegistry } from '${module}';
      createFileSupervisorRegistry({ directory: '${paths.directory}' }).register({ id: 'sup_b', role: 'daemon', socket: null });
      console.log('registered');
      process.stdin.resume();
    `;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => endAll([child.pid ?? 0]));
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');

    expect(registry.list()).toMatchObject([{ entry: { id: 'sup_b', pid: child.pid }, state: 'alive' }]);
    child.kill('SIGKILL');
    await ended;
    expect(isAlive(child.pid ?? 0)).toBe(false);
    expect(registry.list()).toMatchObject([{ entry: { id: 'sup_b' }, state: 'dead' }]);

    registry.unregister('sup_b');

    expect(registry.list()).toEqual([]);
    expect(readdirSync(paths.supervisors)).toEqual([]);
  });

  test('without an entry is dead', () => {
    const { registry } = arrange();
    registry.register({ id: 'sup_a', role: 'program', socket: null });

    expect(registry.stateOf('sup_never')).toBe('dead');
  });

  test('with an invalid id is elsewhere', () => {
    const { registry } = arrange();

    expect(registry.stateOf('../sup_a')).toBe('elsewhere');
  });
});

describe('a damaged entry', () => {
  test.each([
    ['that is cut off', '{"version":1,"id":'],
    ['that is empty', ''],
    ['of a later version', JSON.stringify({ ...ownEntry, version: 2, pid: unusedPid })],
    ['of another supervisor', JSON.stringify({ ...ownEntry, id: 'sup_b', pid: unusedPid })],
    ['with a process group as its pid', JSON.stringify({ ...ownEntry, pid: -1 })],
    ['with pid 0', JSON.stringify({ ...ownEntry, pid: 0 })],
    ['with a relative socket', JSON.stringify({ ...ownEntry, pid: unusedPid, socket: 'a.sock' })],
    ['with a socket that is no text', JSON.stringify({ ...ownEntry, pid: unusedPid, socket: 7 })],
    ['with a pid that is no whole number', JSON.stringify({ ...ownEntry, pid: unusedPid + 0.5 })],
    ['with a pid that is a text', JSON.stringify({ ...ownEntry, pid: `${unusedPid}` })],
    ['with a start time that is no text', JSON.stringify({ ...ownEntry, pid: unusedPid, startedAt: 1 })],
    ['with a boot that is no text', JSON.stringify({ ...ownEntry, pid: unusedPid, bootId: 1 })],
    ['with a namespace that is no text', JSON.stringify({ ...ownEntry, pid: unusedPid, pidNamespace: 1 })],
    ['without a begin', JSON.stringify({ ...ownEntry, pid: unusedPid, since: undefined })],
    ['with another role', JSON.stringify({ ...ownEntry, pid: unusedPid, role: 'guest' })],
    ['that is a list', '[]'],
    ['that is nothing', 'null'],
    ['that is a text', '"sup_a"'],
  ])('%s is left alone', (_, text) => {
    const { registry, plantText, textOf } = arrange();
    plantText('sup_a', text);

    expect(registry.stateOf('sup_a')).toBe('elsewhere');
    expect(registry.list()).toEqual([]);
    expect(textOf('sup_a')).toBe(text);
  });

  test('is left alone when it is a link or a directory', () => {
    const { registry, paths } = arrange();
    registry.register({ id: 'sup_c', role: 'program', socket: null });
    symlinkSync('sup_c.json', paths.supervisorOf('sup_a'));
    symlinkSync('nowhere', paths.supervisorOf('sup_d'));
    mkdirSync(paths.supervisorOf('sup_b'));

    const states = ['sup_a', 'sup_b', 'sup_d'].map((id) => registry.stateOf(id));

    expect(states).toEqual(['elsewhere', 'elsewhere', 'elsewhere']);
    expect(registry.list().map(({ entry }) => entry.id)).toEqual(['sup_c']);
  });

  test.runIf(isRoot)('is left alone when another user owns it', () => {
    const { registry, plant, paths } = arrange();
    plant({ pid: unusedPid });
    chownSync(paths.supervisorOf('sup_a'), 12_345, 12_345);

    expect(registry.stateOf('sup_a')).toBe('elsewhere');
    expect(registry.list()).toEqual([]);
  });

  test('is replaced by a registration and removed by an unregistration', () => {
    const { registry, plantText, paths } = arrange();
    plantText('sup_a', '{"half');
    plantText('sup_b', '{"half');

    registry.register({ id: 'sup_a', role: 'program', socket: null });
    registry.unregister('sup_b');

    expect(registry.stateOf('sup_a')).toBe('alive');
    expect(readdirSync(paths.supervisors)).toEqual(['sup_a.json']);
  });
});
