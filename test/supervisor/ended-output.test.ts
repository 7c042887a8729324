import { expect, test } from 'vitest';
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
