import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { countOpenFiles, waitUntil } from '../../support/os.ts';
import { openRealHarness } from '../../support/real.ts';

const backends = [
  { name: 'pipe', lifetime: 'session' },
  { name: 'file', lifetime: 'persistent' },
] as const;

/** Environment as in cron, a service or a container: without SHLVL and ssh. */
function leaveShells(home: string): void {
  vi.stubEnv('HOME', home);
  for (const name of ['SHLVL', 'SSH_CLIENT', 'SSH2_CLIENT']) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe.each(backends)('the input of the $name backend', ({ lifetime }) => {
  test.each(['pipe', 'end'] as const)('makes bash read no ~/.bashrc (%s)', async (stdin) => {
    await using stage = openRealHarness();
    leaveShells(stage.directory);
    writeFileSync(stage.file('.bashrc'), `: > ${stage.file('read')}\n`);

    // 1: the count began here.
    const command: [string, ...string[]] = ['/bin/bash', '-c', 'echo "$HOME:$SHLVL"'];
    const handle = stage.supervisor.start({ command, stdin, lifetime, background: true });
    await handle.ended;

    expect(handle.read().text).toBe(`${stage.directory}:1\n`);
    expect(existsSync(stage.file('read'))).toBe(false);
  });

  test('input can be opened by name after its end', async () => {
    await using stage = openRealHarness();
    const command = 'until [ -e go ]; do sleep 0.1; done; cat /dev/stdin';
    const handle = stage.supervisor.start({ command, stdin: 'pipe', lifetime, background: true });

    await handle.writeLine('kept');
    await handle.endInput();
    writeFileSync(stage.file('go'), '');
    await handle.ended;

    expect(handle.read().text).toBe('kept\n');
  });

  test('input leaves no open descriptor', { timeout: 60_000 }, async () => {
    await using stage = openRealHarness({ maxParallelTools: 20, maxBackgroundProcesses: 60 });
    const startSome = async () => {
      const handles = Array.from({ length: 20 }, () =>
        stage.supervisor.start({ command: 'exit 0', stdin: 'pipe', lifetime, background: true }),
      );
      await Promise.all(handles.map((handle) => handle.ended));
    };
    await startSome();
    const before = countOpenFiles();

    for (let round = 0; round < 3; round += 1) await startSome();

    await waitUntil(() => countOpenFiles() <= before + 10, { what: `about ${before} files are open` });
  });

  test('input belongs to one process, read or not', { timeout: 60_000 }, async () => {
    await using stage = openRealHarness({ maxParallelTools: 20, maxBackgroundProcesses: 60 });
    const unread = Array.from({ length: 20 }, () =>
      stage.supervisor.start({ command: 'read -r line', stdin: 'pipe', lifetime, background: true }),
    );
    await Promise.all(unread.map((handle) => handle.write('mine\nunread\n')));
    await Promise.all(unread.map((handle) => handle.ended));

    const readers = Array.from({ length: 20 }, () =>
      stage.supervisor.start({ command: ['cat'], stdin: 'pipe', lifetime, background: true }),
    );
    await Promise.all(
      readers.map(async (handle, number) => {
        await handle.write(`${number}`);
        await handle.endInput();
        await handle.ended;
      }),
    );

    expect(readers.map((handle) => handle.read().text)).toEqual(readers.map((_, number) => `${number}`));
  });
});

test('a leader that exits closes the input of its leftovers', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'sleep 100 <&0 & echo up',
    stdin: 'pipe',
    background: true,
  });
  await handle.ended;

  expect(await handle.write('x')).toMatchObject({ ok: false, bytesWritten: 0 });
});

test('a program that cannot be started leaves no input open', async () => {
  await using stage = openRealHarness();
  const start = () =>
    stage.supervisor.start({ command: ['/no/such/program'], stdin: 'pipe', background: true });
  for (let count = 0; count < 10; count += 1) await start().ended;
  const before = countOpenFiles();

  for (let count = 0; count < 50; count += 1) await start().ended;

  await waitUntil(() => countOpenFiles() <= before + 10, { what: `about ${before} files are open` });
});
