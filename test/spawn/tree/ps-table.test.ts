import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Puts programs on the PATH that write down their command, `LC_ALL` and other variables, and print these texts. */
function noteCommands(prints: Readonly<Record<string, string>>) {
  const place = tempDir();
  const log = place.file('log');
  for (const [name, text] of Object.entries(prints)) {
    const script = `#!/bin/sh\necho "${name} $* LC_ALL=$LC_ALL HOME=$HOME" >>'${log}'\nprintf '%s' '${text}'\n`;
    writeFileSync(place.file(name), script);
    chmodSync(place.file(name), 0o755);
  }
  vi.stubEnv('PATH', place.path);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    place.remove();
  });
  const ran = () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []);
  return { table: createPsTable(), ran };
}

const row = (pid: number, state = 'S') =>
  macRow({ ids: [pid, 1, pid], state, started: 'Tue Feb 17 23:59:59 2026', command: 'x' });

test('each question is one call of ps in the C locale, with nothing else of the environment', async () => {
  const { table, ran } = noteCommands({ ps: `${row(501)}\n${row(502, 'Z')}` });
  const entries = parsePsLines(`${row(501)}\n${row(502, 'Z')}\n${row(503)}`);

  expect((await table.list()).map(({ pid }) => pid)).toEqual([501, 502]);
  expect((await table.read(501))?.pid).toBe(501);
  expect((await table.readAll([501, 502])).map(({ pid }) => pid)).toEqual([501, 502]);
  const since = await table.listSince({ pid: 501, startedAt: 'any' });
  expect(since.map(({ pid }) => pid)).toEqual([502]);
  expect(await table.filterCarriers('/tool_a/', entries)).toEqual([]);

  const columns = '-o pid=,ppid=,pgid=,stat=,lstart=,command=';
  expect(ran()).toEqual(
    [
      `ps -A -ww ${columns}`,
      `ps -ww ${columns} -p 501`,
      `ps -ww ${columns} -p 501,502`,
      `ps -A -ww ${columns}`,
      // A dead process carries nothing.
      'ps -E -ww -o pid=,command= -p 501,503',
    ].map((command) => `${command} LC_ALL=C HOME=`),
  );
});

test('a question about no process starts no program', async () => {
  const { table, ran } = noteCommands({ ps: row(501) });

  expect(await table.readAll([])).toEqual([]);
  expect(await table.filterCarriers('/tool_a/', [])).toEqual([]);
  expect(await table.filterCarriers('/tool_a/', parsePsLines(row(502, 'Z')))).toEqual([]);
  expect(await table.filterUntraceable(parsePsLines(row(501)), null)).toEqual([]);
  expect(ran()).toEqual([]);
});

test.each([
  ['1B2C-3D\n', '1B2C-3D'],
  [' \n', null],
])('the scope is the boot session, asked for once: %j', async (prints, bootId) => {
  const { table, ran } = noteCommands({ sysctl: prints });

  expect(await table.scope()).toEqual({ bootId, pidNamespace: null });
  await table.scope();

  expect(ran()).toEqual(['sysctl -n kern.bootsessionuuid LC_ALL=C HOME=']);
});

test('a failing ps is not an empty table', async () => {
  const table = fakePs({ code: 2 });

  await expect(table.list()).rejects.toMatchObject({
    ...{ code: 'internal', message: 'ps returned no process table', cause: { exitCode: 2 } },
  });
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
