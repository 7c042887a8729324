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
import { endAll, isAlive, startTicksOf, stateOf, tempDir } from '../fixtures/os.ts';

const isRoot = process.geteuid?.() === 0;
const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const pidNamespace = readlinkSync('/proc/self/ns/pid');
const nobody = 2 ** 22 + 1;

/** The entry that this very program would write. */
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
    roll: open(),
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
  test('says who this program is', () => {
    const { roll, open, textOf } = arrange();

    roll.register({ id: 'sup_a', role: 'program', socket: null });

    expect(JSON.parse(textOf('sup_a'))).toEqual(ownEntry);
    expect(open().list()).toEqual([{ entry: ownEntry, state: 'alive' }]);
    expect(open().stateOf('sup_a')).toBe('alive');
  });

  test('is for the owner only, and made at the first enter', () => {
    const { roll, paths } = arrange();
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    expect([roll.list(), roll.stateOf('sup_a')]).toEqual([[], 'dead']);
    roll.unregister('sup_a');
    expect(statSync(paths.directory, { throwIfNoEntry: false })).toBeUndefined();

    roll.register({ id: 'sup_a', role: 'program', socket: null });

    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect([paths.directory, paths.supervisors].map(modeOf)).toEqual([0o700, 0o700]);
    expect(modeOf(paths.supervisorOf('sup_a'))).toBe(0o600);
  });

  test('keeps its start when it is replaced', () => {
    const { roll, open, passMs, paths } = arrange();
    const socket = `${paths.supervisors}/sup_a.sock`;
    roll.register({ id: 'sup_a', role: 'daemon', socket: null });
    passMs(1_000);

    roll.register({ id: 'sup_a', role: 'daemon', socket });

    expect(open().list()).toEqual([{ entry: { ...ownEntry, role: 'daemon', socket }, state: 'alive' }]);
  });

  test('starts anew after an earlier program', () => {
    const { roll, plant, open } = arrange();
    plant({ startedAt: '1', since: 1 });

    roll.register({ id: 'sup_a', role: 'program', socket: null });

    expect(open().list()[0]?.entry.since).toBe(5_000);
  });
});

describe('a supervisor', () => {
  test.each([
    ['whose pid is another’s now is dead', { startedAt: '1' }, 'dead'],
    ['whose pid is nobody’s is dead', { pid: nobody }, 'dead'],
    ['of another boot is dead, whoever has its pid', { bootId: 'other' }, 'dead'],
    ['of another boot and namespace is dead', { bootId: 'other', pidNamespace: 'pid:[1]' }, 'dead'],
    ['of another namespace is elsewhere', { pidNamespace: 'pid:[1]' }, 'elsewhere'],
    [
      'of another namespace is elsewhere, though nobody has its pid',
      { pidNamespace: 'pid:[1]', pid: nobody },
      'elsewhere',
    ],
    ['of an unknown boot is elsewhere', { bootId: null, pid: nobody }, 'elsewhere'],
    ['of an unknown namespace is elsewhere', { pidNamespace: null, pid: nobody }, 'elsewhere'],
    ['of unknown birth is alive while its pid is', { startedAt: null }, 'alive'],
    ['of unknown birth is dead when its pid is nobody’s', { startedAt: null, pid: nobody }, 'dead'],
  ] as const)('%s', (_, fields, state) => {
    const { roll, plant } = arrange();
    plant(fields);

    expect(roll.stateOf('sup_a')).toBe(state);
    expect(roll.list()).toEqual([{ entry: { ...ownEntry, ...fields }, state }]);
  });

  test('is dead as a zombie', async () => {
    const { roll, plant } = arrange();
    const child = spawn('true', { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const pid = child.pid ?? 0;
    plant({ pid, startedAt: startTicksOf(pid) });
    // Busy waiting: the exit is collected as soon as the event loop turns.
    while (stateOf(pid) !== 'Z') expect(stateOf(pid)).not.toBeNull();

    expect(roll.stateOf('sup_a')).toBe('dead');

    await ended;
  });

  test('in another program is alive until it is killed', async () => {
    const { roll, paths } = arrange();
    const module = new URL('../../src/store/file-supervisor-registry.ts', import.meta.url);
    const program = `
      import { createFileSupervisorRegistry } from '${module}';
      createFileSupervisorRegistry({ directory: '${paths.directory}' }).register({ id: 'sup_b', role: 'daemon', socket: null });
      console.log('entered');
      process.stdin.resume();
    `;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => endAll([child.pid ?? 0]));
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');

    expect(roll.list()).toMatchObject([{ entry: { id: 'sup_b', pid: child.pid }, state: 'alive' }]);
    child.kill('SIGKILL');
    await ended;
    expect(isAlive(child.pid ?? 0)).toBe(false);
    expect(roll.list()).toMatchObject([{ entry: { id: 'sup_b' }, state: 'dead' }]);

    roll.unregister('sup_b');

    expect(roll.list()).toEqual([]);
    expect(readdirSync(paths.supervisors)).toEqual([]);
  });

  test('without an entry is dead', () => {
    const { roll } = arrange();
    roll.register({ id: 'sup_a', role: 'program', socket: null });

    expect(roll.stateOf('sup_never')).toBe('dead');
  });

  test('whose id is none is left alone', () => {
    const { roll } = arrange();

    expect(roll.stateOf('../sup_a')).toBe('elsewhere');
  });
});

describe('a damaged entry', () => {
  test.each([
    ['cut off', '{"version":1,"id":'],
    ['empty', ''],
    ['of a later version', JSON.stringify({ ...ownEntry, version: 2, pid: nobody })],
    ['of another supervisor', JSON.stringify({ ...ownEntry, id: 'sup_b', pid: nobody })],
    ['with a group for a pid', JSON.stringify({ ...ownEntry, pid: -1 })],
    ['with everybody for a pid', JSON.stringify({ ...ownEntry, pid: 0 })],
    ['with a relative socket', JSON.stringify({ ...ownEntry, pid: nobody, socket: 'a.sock' })],
  ])('%s is left alone', (_, text) => {
    const { roll, plantText, textOf } = arrange();
    plantText('sup_a', text);

    expect(roll.stateOf('sup_a')).toBe('elsewhere');
    expect(roll.list()).toEqual([]);
    expect(textOf('sup_a')).toBe(text);
  });

  test('is left alone when it is a link or a directory', () => {
    const { roll, paths } = arrange();
    roll.register({ id: 'sup_c', role: 'program', socket: null });
    symlinkSync('sup_c.json', paths.supervisorOf('sup_a'));
    symlinkSync('nowhere', paths.supervisorOf('sup_d'));
    mkdirSync(paths.supervisorOf('sup_b'));

    const states = ['sup_a', 'sup_b', 'sup_d'].map((id) => roll.stateOf(id));

    expect(states).toEqual(['elsewhere', 'elsewhere', 'elsewhere']);
    expect(roll.list().map(({ entry }) => entry.id)).toEqual(['sup_c']);
  });

  test.runIf(isRoot)('is left alone when another user owns it', () => {
    const { roll, plant, paths } = arrange();
    plant({ pid: nobody });
    chownSync(paths.supervisorOf('sup_a'), 12_345, 12_345);

    expect(roll.stateOf('sup_a')).toBe('elsewhere');
    expect(roll.list()).toEqual([]);
  });

  test('is replaced by who enters, and goes with who leaves', () => {
    const { roll, plantText, paths } = arrange();
    plantText('sup_a', '{"half');
    plantText('sup_b', '{"half');

    roll.register({ id: 'sup_a', role: 'program', socket: null });
    roll.unregister('sup_b');

    expect(roll.stateOf('sup_a')).toBe('alive');
    expect(readdirSync(paths.supervisors)).toEqual(['sup_a.json']);
  });
});
