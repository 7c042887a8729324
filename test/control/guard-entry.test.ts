import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guardEntry } from '../../src/control/guard-entry.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';
import { turn } from '../support/virtual.ts';

/** The entry and socket of a supervisor, guarded; both are plain files. */
function guard({ restoreFails = false } = {}) {
  const place = tempDir();
  const workspace = place.file('project');
  const paths = toStatePaths(`${workspace}/.troupe`);
  const files = { entry: paths.supervisorOf('sup_a'), socket: `${paths.supervisors}/sup_a.sock` };
  const clock = createVirtualClock();
  const seen: string[] = [];
  const write = () => {
    mkdirSync(paths.supervisors, { recursive: true });
    writeFileSync(files.entry, '');
    writeFileSync(files.socket, '');
  };
  write();
  const cancel = guardEntry({
    clock,
    paths,
    supervisorId: 'sup_a',
    socketPath: files.socket,
    restore: async () => {
      seen.push('restored');
      if (restoreFails) throw new Error('no room');
      write();
    },
    onWorkspaceRemoved: () => void seen.push('workspace removed'),
    reportError: (error) => void seen.push(String(error)),
  });
  return {
    ...files,
    workspace,
    place,
    seen,
    cancel,
    pass: async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 1) {
        clock.advance(1_000);
        await turn();
      }
    },
    [Symbol.dispose]: () => {
      cancel();
      place.remove();
    },
  };
}

test.each(['entry', 'socket'] as const)('a removed %s is restored at the second check', async (which) => {
  using guarded = guard();
  await guarded.pass(3);
  rmSync(guarded[which]);

  await guarded.pass(1);
  const afterOne = [...guarded.seen];
  await guarded.pass(3);

  expect([afterOne, guarded.seen]).toEqual([[], ['restored']]);
});

test('a removal is restored each time', async () => {
  using guarded = guard();

  for (let round = 0; round < 2; round += 1) {
    rmSync(guarded.socket);
    await guarded.pass(2);
  }

  expect(guarded.seen).toEqual(['restored', 'restored']);
});

test('a check that finds everything starts the count again', async () => {
  using guarded = guard();

  for (let round = 0; round < 3; round += 1) {
    rmSync(guarded.socket);
    await guarded.pass(1);
    writeFileSync(guarded.socket, '');
    await guarded.pass(1);
  }

  expect(guarded.seen).toEqual([]);
});

test('a failed restoration is reported and tried again two checks later', async () => {
  using guarded = guard({ restoreFails: true });
  rmSync(guarded.socket);

  await guarded.pass(3);
  const afterThree = [...guarded.seen];
  await guarded.pass(1);

  expect(afterThree).toEqual(['restored', 'Error: no room']);
  expect(guarded.seen).toHaveLength(4);
});

test('a removed workspace is reported once', async () => {
  using guarded = guard();
  rmSync(guarded.workspace, { recursive: true });
  mkdirSync(guarded.workspace);

  await guarded.pass(5);

  expect(guarded.seen).toEqual(['workspace removed']);
});

test('a moved workspace is left alone', async () => {
  using guarded = guard();
  renameSync(guarded.workspace, guarded.place.file('elsewhere'));

  await guarded.pass(5);

  expect(guarded.seen).toEqual([]);
});

test('a cancelled guard checks nothing more', async () => {
  using guarded = guard();
  guarded.cancel();
  rmSync(guarded.socket);

  await guarded.pass(5);

  expect(guarded.seen).toEqual([]);
});
