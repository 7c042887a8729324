import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ensureDaemon } from '../../src/control/ensure-daemon.ts';
import { createSupervisor } from '../../src/index.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createScriptedBackend, createVirtualClock } from '../../src/testing/index.ts';
import { runProgram } from '../cli/program.ts';
import { fixtureProgram, tempDir } from '../support/os.ts';

/** A project whose `.troupe` came with the repository. */
function cloneProject() {
  const temp = tempDir();
  onTestFinished(() => temp.remove());
  const directory = temp.file('.troupe');
  const plant = (path: string, target: string) => {
    mkdirSync(temp.file('.troupe/supervisors'), { recursive: true });
    symlinkSync(target, temp.file(`.troupe/${path}`));
  };
  const scripted = () => ({
    ...{ cwd: temp.path, control: false },
    ...{ backend: createScriptedBackend(), clock: createVirtualClock() },
  });
  return { path: temp.path, at: temp.file, directory, plant, scripted };
}

test('a planted daemon log does not truncate its target', async () => {
  const { at, directory, plant } = cloneProject();
  writeFileSync(at('precious'), Buffer.alloc(405_000, 'x'));
  plant('supervisors/daemon.log', at('precious'));

  const starting = ensureDaemon({ directory, program: fixtureProgram('serves.ts') });

  await expect(starting).rejects.toThrow(/daemon\.log" is a symbolic link.* Remove it/);
  expect(statSync(at('precious')).size).toBe(405_000);
});

test('a planted lock of process 1 locks nothing', () => {
  const { at, plant, scripted } = cloneProject();
  plant('recovery.lock', '{"pid":1,"startedAt":null}');
  const first = createSupervisor(scripted());
  first.start({ command: ['server'], background: true });
  const entry = at(`.troupe/supervisors/${first.id}.json`);
  writeFileSync(entry, readFileSync(entry, 'utf8').replace(/"bootId":"[^"]*"/, '"bootId":"before"'));

  const second = createSupervisor(scripted());

  expect(second.recovered).toMatchObject({ problem: null, lost: [expect.any(String)] });
  expect(lstatSync(at('.troupe/recovery.lock'), { throwIfNoEntry: false })).toBeUndefined();
});

test('a planted tmux socket is not connected to', async () => {
  const { at, path, plant } = cloneProject();
  let visitors = 0;
  const stranger = createServer((socket) => {
    visitors += 1;
    socket.destroy();
  });
  onTestFinished(() => void stranger.close());
  await new Promise<void>((resolve) => stranger.listen(at('stranger.sock'), resolve));
  plant('supervisors/tmux.sock', at('stranger.sock'));
  await using supervisor = createSupervisor({ cwd: path, handleSignals: false });

  const start = () =>
    supervisor.start({ command: 'cat', interactive: true, lifetime: 'persistent', background: true });

  expect(start).toThrow(/tmux\.sock\\?" is a symbolic link/);
  expect(visitors).toBe(0);
});

test('a linked state directory is refused with its remedy', async () => {
  const { at, path, directory, scripted } = cloneProject();
  mkdirSync(at('elsewhere'));
  symlinkSync('elsewhere', directory);
  const refusal = /"[^"]*\.troupe" is a symbolic link.* Remove it, or name another state directory\./;

  expect(() => createSupervisor(scripted())).toThrow(refusal);
  expect(() => openStateDirectory({ directory })).toThrow(refusal);
  const { code, stderr } = await runProgram(['start', 'sleep', '100'], { cwd: path });

  expect([code, stderr]).toEqual([1, expect.stringMatching(refusal)]);
  expect(existsSync(at('elsewhere/supervisors'))).toBe(false);
});

test.runIf(process.geteuid?.() === 0)('a state directory of another user is not used', async () => {
  const { path, directory, scripted } = cloneProject();
  mkdirSync(directory);
  chownSync(directory, 65_534, 65_534);

  expect(() => createSupervisor(scripted())).toThrow('belongs to user 65534');
  const { code, stderr } = await runProgram(['start', 'sleep', '100'], { cwd: path });

  expect([code, stderr]).toEqual([1, expect.stringContaining('belongs to user 65534')]);
});
