import { chmodSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPsTable, parsePsLines } from '../../../src/spawn/tree/ps-table.ts';
import { tempDir } from '../../support/os.ts';

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

/**
 * Formats a row as `ps` of macOS does, by `state`, `lstarted` and `p_command_and_or_args` in adv_cmds/ps/print.c and the widths in
 * adv_cmds/ps/keyword.c (apple-open-source/macos): numbers right-justified in 5 columns, state in 4, the time in 28, the command as it is.
 */
function macRow(row: {
  readonly ids: readonly [pid: number, ppid: number, pgid: number];
  readonly state: string;
  readonly started: string;
  readonly command: string;
}): string {
  const ids = row.ids.map((id) => String(id).padStart(5)).join(' ');
  return `${ids} ${row.state.padEnd(4)} ${row.started.padEnd(28)} ${row.command}`;
}

test('rows as macOS prints them become entries', () => {
  const started = 'Tue Feb 17 23:59:59 2026';
  const rows = [
    macRow({ ids: [1, 0, 1], state: 'Ss', started: 'Mon Jan  5 10:02:03 2026', command: '/sbin/launchd' }),
    macRow({ ids: [501, 1, 501], state: 'T', started, command: 'sh -c sleep 5; echo "a  b"' }),
    macRow({ ids: [502, 501, 501], state: 'Z', started, command: '(sleep)' }),
    macRow({ ids: [99_998, 501, 501], state: 'SN+', started, command: 'sh -c true^Jsleep 9' }),
    macRow({ ids: [123_456, 1, 123_456], state: 'UEs', started, command: '' }),
  ];

  const entries = parsePsLines(`${rows.join('\n')}\n`);

  expect(rows[0]).toBe('    1     0     1 Ss   Mon Jan  5 10:02:03 2026     /sbin/launchd');
  const alive = { sid: 0, startedAt: started, alive: true, stopped: false, blocked: false };
  expect(entries).toEqual([
    { ...alive, pid: 1, ppid: 0, pgid: 1, startedAt: 'Mon Jan  5 10:02:03 2026', command: '/sbin/launchd' },
    { ...alive, pid: 501, ppid: 1, pgid: 501, stopped: true, command: 'sh -c sleep 5; echo "a  b"' },
    { ...alive, pid: 502, ppid: 501, pgid: 501, alive: false, command: '(sleep)' },
    { ...alive, pid: 99_998, ppid: 501, pgid: 501, command: 'sh -c true^Jsleep 9' },
    { ...alive, pid: 123_456, ppid: 1, pgid: 123_456, blocked: true, command: '' },
  ]);
});

test('the mark of a tree is found behind the command in the environment', async () => {
  const prints = [
    '  501 node server.js HOME=/Users/me TROUPE_LINEAGE=/sup_1/tool_a/ TERM=xterm',
    '  502 sleep 5 TROUPE_LINEAGE=/sup_1/tool_b/',
    '  503 (sleep)',
  ].join('\n');
  const table = fakePs({ prints, code: 0 });
  const entries = parsePsLines(
    [501, 502, 503]
      .map((pid) =>
        macRow({ ids: [pid, 1, pid], state: 'S', started: 'Tue Feb 17 23:59:59 2026', command: 'x' }),
      )
      .join('\n'),
  );

  const carriers = await table.filterCarriers('/tool_a/', entries);

  expect(carriers.map(({ pid }) => pid)).toEqual([501]);
});
