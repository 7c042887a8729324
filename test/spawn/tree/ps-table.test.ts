import { expect, test } from 'vitest';
import { parsePsLines } from '../../../src/spawn/tree/ps-table.ts';

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
