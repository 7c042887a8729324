import { describe, expect, test } from 'vitest';
import { countOpenFiles, tempDir, waitUntil } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';

const MEBIBYTE = 1024 * 1024;

test('output of ended processes is bounded together', async () => {
  await using rig = createVirtualHarness({
    script: (run) => {
      run.comeUp();
      run.print(`first line\n${'x'.repeat(2 * MEBIBYTE)}\nlast line\n`);
      run.exit();
    },
  });
  const { supervisor } = rig;

  const handles = Array.from({ length: 70 }, () => supervisor.start({ command: 'print much' }));
  await Promise.all(handles.map((handle) => handle.ended));
  const [oldest, newest] = [handles[0], handles.at(-1)];

  expect(newest?.read({ format: 'raw', maxBytes: 4 * MEBIBYTE }).text.length).toBeGreaterThan(MEBIBYTE * 0.9);
  const shrunk = oldest?.read({ format: 'raw', maxBytes: 4 * MEBIBYTE });
  expect(shrunk?.text.length).toBeLessThan(100 * 1024);
  expect(shrunk?.text.startsWith('first line\n')).toBe(true);
  expect(shrunk?.text.endsWith('last line\n')).toBe(true);
  expect((shrunk?.droppedBytes ?? 0) + (shrunk?.text.match(/[^\n…]/g)?.length ?? 0)).toBeGreaterThan(
    2 * MEBIBYTE,
  );
});

describe('the log file of an ended process', () => {
  test('stays open for late output, and closes at the end of the output', async () => {
    using directory = tempDir();
    await using rig = createVirtualHarness({ timeout: 0, stateDirectory: directory.path });
    const handle = rig.supervisor.start({ command: 'x' });
    const run = rig.run(0);
    run.print('early\n');
    run.holdsOutput = true;
    run.exit();
    await rig.pass(100);
    const { status } = await handle.ended;
    run.print('late\n');
    await waitUntil(() => countOpenFiles(`${handle.id}.log`) === 1);

    run.endOutput();

    await waitUntil(() => countOpenFiles(`${handle.id}.log`) === 0);
    expect(status).toBe('completed');
    expect(handle.read().text).toContain('late\n');
  });

  test('closes when a later attempt cannot be started', async () => {
    using directory = tempDir();
    await using rig = createVirtualHarness({
      timeout: 0,
      stateDirectory: directory.path,
      script: (run) => {
        if (run.request.attempt === 1) return run.comeUp();
        run.tell({ type: 'process.spawnFailed', cause: 'too-many-files', code: 'EMFILE', message: 'full' });
      },
    });
    const handle = rig.supervisor.start({ command: 'x', restart: { policy: 'permanent' } });
    rig.run(0).print('early\n');
    await waitUntil(() => countOpenFiles(`${handle.id}.log`) === 1);

    rig.run(0).exit({ code: 1 });
    await rig.pass(60_000);
    const { status } = await handle.ended;

    await waitUntil(() => countOpenFiles(`${handle.id}.log`) === 0);
    expect(status).toBe('failed');
  });
});
