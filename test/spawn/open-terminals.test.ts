import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CommandSpec, ProcessHandle, Supervisor } from '../../src/index.ts';
import { isInstalled } from '../support/installed.ts';
import { carriers, commandOf, listPids, waitUntil } from '../support/os.ts';
import { openRealHarness, type RealHarness } from '../support/real.ts';

/** Returns the terminals whose masters `pid` holds, by their number in the system. */
function terminalsOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      if (!readlinkSync(`/proc/${pid}/fd/${fd}`).endsWith('/ptmx')) return [];
      return readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8').match(/tty-index:\s*\d+/) ?? [];
    } catch {
      // Closed meanwhile, as the descriptor with which this directory was read.
      return [];
    }
  });
}

/** Returns those of this program's terminals that `pids` hold as well. */
function inheritedBy(pids: readonly number[]): readonly string[] {
  const own = terminalsOf(process.pid);
  expect(own.length).toBeGreaterThan(0);
  return pids.flatMap(terminalsOf).filter((terminal) => own.includes(terminal));
}

async function openTerminal({ supervisor }: RealHarness): Promise<ProcessHandle> {
  return startAndFind(supervisor, { command: ['sleep', '300'], interactive: true });
}

/** Resolves once the process has executed its program. */
async function startAndFind(supervisor: Supervisor, spec: CommandSpec): Promise<ProcessHandle> {
  const handle = supervisor.start({ ...spec, background: true });
  await waitUntil(() => sleepersOf(handle).length > 0, { what: `sleep runs for ${JSON.stringify(spec)}` });
  return handle;
}

const sleepersOf = ({ id }: ProcessHandle) =>
  carriers(`/${id}/`).filter((pid) => commandOf(pid)[0] === 'sleep');

const kinds: readonly (readonly [string, CommandSpec])[] = [
  ['in pipes', { command: ['sleep', '300'] }],
  ['of the shell', { command: 'sleep 300; true' }],
  ['that outlives its supervisor', { command: ['sleep', '300'], lifetime: 'persistent' }],
  ['in a terminal beside it', { command: ['sleep', '300'], interactive: true }],
];

test.each(kinds)('a command %s inherits no open terminal', async (_, spec) => {
  await using stage = openRealHarness({ terminal: 'pty' });
  await openTerminal(stage);
  await openTerminal(stage);

  const handle = await startAndFind(stage.supervisor, spec);

  const held = inheritedBy(carriers(`/${handle.id}/`));
  await handle.kill({ grace: 0 });
  expect(held).toEqual([]);
});

test('a watchdog inherits no open terminal', async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  await openTerminal(stage);
  await using later = openRealHarness();

  await startAndFind(later.supervisor, { command: ['sleep', '300'] });

  const watchdogs = listPids().filter((pid) => commandOf(pid).includes(later.supervisor.id));
  expect(watchdogs).toHaveLength(1);
  expect(inheritedBy(watchdogs)).toEqual([]);
});

test.skipIf(!isInstalled('tmux'))('a tmux server inherits no open terminal', async () => {
  await using stage = openRealHarness({ terminal: 'pty' });
  await openTerminal(stage);
  await using later = openRealHarness({ terminal: 'tmux' });

  await openTerminal(later);

  const servers = listPids().filter((pid) => commandOf(pid).some((word) => word.startsWith(later.directory)));
  expect(servers.length).toBeGreaterThan(0);
  expect(inheritedBy(servers)).toEqual([]);
});

test('a terminal beside another has the same environment', async () => {
  await using stage = openRealHarness({ terminal: 'pty', env: { 'a.b': 'kept', PS1: '$ ' } });
  const environment = async () => {
    const handle = stage.supervisor.start({ command: ['env', '-0'], interactive: true, background: true });
    await handle.ended;
    const lines = handle.read({ format: 'raw' }).text.split('\0');
    return lines.filter((line) => !line.startsWith('TROUPE_')).sort();
  };
  const alone = await environment();
  await openTerminal(stage);

  const beside = await environment();

  expect(beside).toEqual(alone);
  expect(beside).toContain('a.b=kept');
});

test('a secret opens no terminal of another kind', async () => {
  await using stage = openRealHarness();
  await using withoutSecret = openRealHarness();
  const spec: CommandSpec = { command: ['sleep', '300'], interactive: true, background: true };

  const usual = withoutSecret.supervisor.start(spec).view();
  const secret = stage.supervisor.start({ ...spec, secrets: { TOKEN: 'hunter2-hunter2' } }).view();

  expect(secret.mode).toBe(usual.mode === 'tmux' ? 'pipe' : usual.mode);
  if (usual.mode === 'tmux') expect(secret.terminal?.because).toContain('"secrets" cannot be hidden');
});
