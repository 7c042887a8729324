import { openSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { threadCpuMs } from '../../src/output/grep.ts';
import { readLogProgress, readProgress } from '../../src/output/progress.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import { createFileLog, createMemoryLog } from '../support/output-logs.ts';

const [esc, bel] = ['\u001b', '\u0007'];

describe('progress', () => {
  test.each([
    ['git clone', 'Receiving objects:  44% (8/18)\rReceiving objects:  45% (9/20), 1.2 MiB | 3 MiB/s\r', 45],
    ['git clone, done', 'remote: Counting objects: 100% (20/20), done.\n', 100],
    ['git checkout', 'Updating files:  12% (1200/10000)\r', 12],
    [
      'pip',
      `     ${esc}[90m━━━━━━━━╸${esc}[0m ${esc}[32m12.3/49.2 MB${esc}[0m ${esc}[31m5.2 MB/s${esc}[0m eta 0:00:07\r`,
      25,
    ],
    ['pip without a terminal', '   ━━━━━━━━━━ 5.0/10.0 MB 5.2 MB/s eta 0:00:01\n', 50],
    ['docker pull', '3f4a: Downloading [==========>          ]  12.5MB/50MB\r', 25],
    ['docker pull in kB', `a1: Extracting [>    ]  512kB/51.2MB${esc}[1B\r`, 0.9],
    ['docker build', 'Step 3/12 : RUN npm ci\n', 25],
    ['buildkit', '#7 [3/6] RUN npm ci\n', 50],
    ['wget', '\rfile.bin      45%[=======>           ]  45.00M  3.10MB/s    eta 18s    ', 45],
    ['wget to a file', '  1950K .......... .......... .......... 19% 5.42M 2s\n', 19],
    ['curl', '\r 45  123M   45 55.6M    0     0  5123k      0  0:00:24  0:00:11  0:00:13 5321k', 45],
    ['curl -#', '\r#################                      45.3%', 45.3],
    ['cargo', '    Building [=======>                 ] 45/120: serde, syn\r', 37.5],
    ['apt', `\u001b7\u001b[24;0f\u001b[42mProgress: [ 45%]\u001b[49m [#####......] \u001b8`, 45],
    ['apt update', '\r45% [12 linux-firmware 34.5 MB/80 MB 43%]    12.3 MB/s 10s', 45],
    ['dpkg', '(Reading database ... 45%\r', 45],
    ['rsync', '\r  1,234,567  45%   12.34MB/s    0:00:12 (xfr#3, to-chk=10/20)', 45],
    ['tqdm', '\r 45%|████▌     | 9/20 [00:04<00:05,  2.1it/s]', 45],
    ['cmake', '[ 45%] Building CXX object src/a.cc.o\n', 45],
    ['ninja', '[12/40] Linking CXX static library lib.a\n', 30],
    ['yarn', '[1/4] Resolving packages...\n', 25],
    ['pytest', 'tests/test_a.py ......            [ 45%]\n', 45],
    ['ffmpeg by a wrapper', 'Encoding: 45.5 %\n', 45.5],
    ['ansible', 'Copying file 7 of 20\n', 35],
    ['training', 'Epoch 3/10 - loss: 0.3012 - accuracy: 87%\n', 30],
    ['webpack', `${esc}[2K${esc}[1G<s> [webpack] 45% building modules`, 45],
    ['gradle', `${esc}[2A${esc}[1m<=====--------> 45% EXECUTING [12s]${esc}[m\r`, 45],
    ['a count with words', 'Processed 12/40 rows\n', 30],
    ['a count at the beginning', '12/40\n', 30],
    ['a comma for a point', 'Fortschritt downloading 45,5%\n', 45.5],
    ['what is nearly done', 'Downloading 1999/2000\n', 99.9],
  ])('is read from %s', (_program, printed, percent) => {
    expect(readProgress(printed)).toMatchObject({ percent, state: 'running' });
  });

  test.each([
    ['npm', '⠙⠹⠸'],
    ['npm of old', '[##................] - idealTree: sill reify\r'],
    ['vitest', ' Test Files  1 passed (3)\n      Tests  12 passed (40)\n   Duration  1.20s\n'],
    ['a date', 'Released on 3/4/2024\n'],
    ['a short date', 'Meeting on 3/4\n'],
    ['a path', 'open src/12/40/index.ts\n'],
    ['a path of a request', 'GET /items/12/40 200\n'],
    ['an address', 'route 10.0.0.0/24 via 10.0.0.1\n'],
    ['around the clock', 'Support is available 24/7\n'],
    ['a version of a protocol', 'HTTP/1.1 200 OK\n'],
    ['a ratio of sides', 'aspect 16/9\n'],
    ['a fraction of a cup', 'add 1/2 cup of milk\n'],
    ['coverage', 'All files | 87.5% covered\n'],
    ['a table of coverage', 'Coverage: 87% (120/138 statements)\n'],
    ['the load of a processor', 'cpu 45%  mem 30%\r'],
    ['a full disk', '/dev/sda1  45G  20G  45% used\n'],
    ['a table of df', 'Use% Mounted\n/dev/sda1 98G 44G 50G 47% /\n'],
    ['packet loss', '5 packets transmitted, 5 received, 0% packet loss\n'],
    ['an offer', 'Now 50% off!\n'],
    ['a comparison', 'this build is 45% faster\n'],
    ['a saving', 'bundle: 120 kB, 30% smaller\n'],
    ['a score', 'Score 3/5\n'],
    ['a severity', 'severity 9.8/10\n'],
    ['more than all', 'retry 7/3 running\n'],
    ['more than a hundred', 'Downloading 145%\n'],
    ['an escape of a URL', 'fetch http://x/a%20b/45%2F\n'],
    ['a format', 'printf 45%d\n'],
    ['a speed', 'download at 12 MB/s\n'],
    ['replicas', 'deployment 2/3 ready\n'],
    ['a line before the last', 'Downloading 45%\nstarting the server\n'],
    ['nothing', ''],
    ['blank lines', '\n\n'],
  ])('is not read from %s', (_kind, printed) => {
    expect(readProgress(printed)).toBeNull();
  });

  test.each([
    ['running', `${esc}]9;4;1;45${bel}`, { percent: 45, state: 'running', text: null }],
    ['failed', `${esc}]9;4;2;45${esc}\\`, { percent: 45, state: 'failed', text: null }],
    ['without a number', `${esc}]9;4;3${bel}`, { percent: null, state: 'running', text: null }],
    ['paused', `${esc}]9;4;4;80${bel}`, { percent: 80, state: 'paused', text: null }],
    [
      'the newest one',
      `${esc}]9;4;1;10${bel}x${esc}]9;4;1;20${bel}`,
      { percent: 20, state: 'running', text: null },
    ],
    ['over a line', `${esc}]9;4;1;45${bel}Downloading 12/40`, { percent: 45, state: 'running', text: null }],
  ])('is read from a control sequence: %s', (_law, printed, progress) => {
    expect(readProgress(printed)).toEqual(progress);
  });

  test('a sequence that takes it back leaves the line', () => {
    const gone = `${esc}]9;4;1;45${bel}${esc}]9;4;0;${bel}`;

    expect(readProgress(gone)).toBeNull();
    expect(readProgress(`${gone}Downloading 12/40`)).toEqual({
      percent: 30,
      state: 'running',
      text: '12/40',
    });
  });

  test('takes linear time for whatever is printed', () => {
    const units = [
      '1',
      '1/',
      '1 ',
      ' ',
      '[',
      '[=',
      '45%',
      '12 of ',
      '1:11:',
      '1.1k ',
      '1 / ',
      '1.',
      '\u001b[A',
    ];
    const lines = units.map((unit) => `1 of x ${unit.repeat(100_000)}`);

    const beganMs = threadCpuMs();
    for (const line of lines) readProgress(line);

    expect(threadCpuMs() - beganMs).toBeLessThan(10_000);
  });

  test('progress reads only the end of a long log', () => {
    const log = createMemoryLog({ clock: createVirtualClock(), maxBufferBytes: 1024 * 1024, headBytes: 0 });
    log.write('stdout', Buffer.from(`${'x'.repeat(50_000)}\nDownloading 12/40\r`));

    expect(readLogProgress(log, 0)?.text).toBe('12/40');
    expect(readLogProgress(log, log.bytes)).toBeNull();
  });

  test('progress reads the end of a log on disk once', () => {
    using directory = tempDir();
    const path = directory.file('log');
    writeFileSync(path, `${'x'.repeat(500_000)}\nDownloading 12/40\r`);
    let reads = 0;
    const openFile = (file: string) => {
      reads += 1;
      return openSync(file, 'r');
    };
    const log = createFileLog({
      ...{ clock: createVirtualClock(), path, statusPath: null, maxBytes: 1024 * 1024, isOver: true },
      openFile,
    });

    const progress = readLogProgress(log, 0);

    expect([progress?.text, reads]).toEqual(['12/40', 1]);
  });
});
