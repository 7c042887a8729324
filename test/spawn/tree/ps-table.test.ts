import { chmodSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPsTable, parsePsLines } from '../../../src/spawn/tree/ps-table.ts';
import { tempDir } from '../../fixtures/os.ts';

/** Puts a `ps` on the PATH with this output and exit code. */
function fakePs({ prints = '', code }: { readonly prints?: string; readonly code: number }) {
  const place = tempDir();
  writeFileSync(place.file('ps'), `#!/bin/sh\nprintf '%s' '${prints}'\nexit ${code}\n`);
  chmodSync(place.file('ps'), 0o755);
  vi.stubEnv('PATH', place.path);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    place.remove();
  });
  return createPsTable();
}

test('a ps that exits 1 and prints nothing is an answer', async () => {
  const table = fakePs({ code: 1 });

  expect(await table.read(501)).toBeNull();
  expect(await table.readAll([501, 502])).toEqual([]);
});

test('entries printed by a ps with code 1 count', async () => {
  const prints = '  501  1  501 S  Tue Feb 17 23:59:59 2026  sleep 5';
  const table = fakePs({ prints, code: 1 });

  expect(await table.readAll([501, 502])).toMatchObject([{ pid: 501, alive: true }]);
});

test('a failing ps is not an empty table', async () => {
  const table = fakePs({ code: 2 });

  await expect(table.list()).rejects.toThrow('ps returned no process table');
});

test('lines of ps become entries', () => {
  const entries = parsePsLines(
    [
      '    1     0     1 Ss   Mon Jan  5 10:02:03 2026     /sbin/launchd',
      '  501     1   501 T    Tue Feb 17 23:59:59 2026     sh -c sleep 5; echo "a  b"',
      '  502   501   501 Z    Tue Feb 17 23:59:59 2026     (sleep)',
      '',
    ].join('\n'),
  );

  expect(entries).toMatchObject([
    { pid: 1, ppid: 0, pgid: 1, alive: true, stopped: false, startedAt: 'Mon Jan  5 10:02:03 2026' },
    { pid: 501, pgid: 501, alive: true, stopped: true },
    { pid: 502, ppid: 501, alive: false },
  ]);
  expect(entries[1]?.command.trim()).toBe('sh -c sleep 5; echo "a  b"');
});
