import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSupervisor, type ProcessHandle } from '../../../src/index.ts';
import { createSocketPaths } from '../../../src/store/socket-paths.ts';
import { toStatePaths } from '../../../src/store/state-paths.ts';
import { isInstalled } from '../../support/installed.ts';
import { carriers, endAll, tempDir, waitUntil } from '../../support/os.ts';
import { startPuppetHost } from '../../support/puppet-host.ts';
import { sessionsOf, untilServerIsGone } from './arrange.ts';

const withinMs = 30_000;

/** Creates a state directory; at its end nothing of it runs. */
function openPlace() {
  const directory = tempDir();
  const socket = createSocketPaths(toStatePaths(directory.file('state'))).make('tmux');
  const marks: string[] = [];
  onTestFinished(async () => {
    for (const mark of marks) await endAll([], mark);
    await untilServerIsGone(socket);
    directory.remove();
  });
  return { directory: directory.path, stateDirectory: directory.file('state'), socket, marks };
}

/** Waits for the server's own end, within a heartbeat: see `openSession`. */
async function untilSessionsAreGone(socket: string): Promise<void> {
  await waitUntil(() => sessionsOf(socket).length === 0, { withinMs, what: 'no session is left' });
}

async function shows(handle: ProcessHandle, text: string): Promise<void> {
  await waitUntil(
    async () => {
      const answer = await handle.capture();
      return answer.ok && answer.screen.lines.join('\n').includes(text);
    },
    { withinMs, what: `${text} on the screen` },
  );
}

describe.skipIf(!isInstalled('tmux'))('a supervisor with tmux', () => {
  test('an interactive process takes keys and shows its screen', async () => {
    const { directory, stateDirectory, socket, marks } = openPlace();
    const supervisor = createSupervisor({ cwd: directory, stateDirectory, terminal: 'tmux' });
    marks.push(`/${supervisor.id}/`);
    const handle = supervisor.start({
      command: 'echo up; read -r line; echo "<$line>"; exit 3',
      interactive: true,
      background: true,
    });
    await shows(handle, 'up');
    const { terminal, mode } = handle.view();

    await handle.sendKeys({ text: 'hello', pressEnter: true });
    const { exit, status } = await handle.ended;
    const last = await handle.capture();

    expect({ mode, exit, status }).toEqual({
      mode: 'tmux',
      exit: { code: 3, signal: null },
      status: 'failed',
    });
    expect(terminal).toMatchObject({
      attach: [expect.stringMatching(/tmux$/), '-u', '-S', socket, 'attach-session', '-t', `=${handle.id}`],
    });
    expect(last.ok && last.screen.lines).toContain('<hello>');
    expect(handle.read().text).toBe('up\nhello\n<hello>\n');
    expect(handle.read({ stream: 'screen' }).text).toContain('<hello>');
    await waitUntil(() => sessionsOf(socket).length === 0, { withinMs });
    await supervisor.shutdown();
  });

  test('output written late is read', { timeout: 60_000 }, async () => {
    const { directory, stateDirectory, marks } = openPlace();
    mkdirSync(`${directory}/bin`);
    writeFileSync(`${directory}/bin/cat`, '#!/bin/sh\nsleep 0.6\nexec /bin/cat "$@"\n');
    chmodSync(`${directory}/bin/cat`, 0o755);
    vi.stubEnv('PATH', `${directory}/bin:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const supervisor = createSupervisor({ cwd: directory, stateDirectory, terminal: 'tmux' });
    marks.push(`/${supervisor.id}/`);

    const handle = supervisor.start({ command: 'echo late', interactive: true, background: true });
    await handle.ended;

    expect(handle.read().text).toBe('late\n');
    await supervisor.shutdown();
  });

  test('a persistent terminal is adopted by the next supervisor', { timeout: 60_000 }, async () => {
    const { directory, stateDirectory, marks } = openPlace();
    const host = await startPuppetHost(directory, { options: { terminal: 'tmux' } });
    marks.push(`/${host.supervisorId}/`);
    const { id } = await host.ask('start', {
      command: 'echo up; read -r line; echo "<$line>"; exit 7',
      interactive: true,
      lifetime: 'persistent',
      background: true,
    });
    await host.ask('started', id);
    await host.kill();

    const supervisor = createSupervisor({ cwd: directory, stateDirectory, terminal: 'tmux' });
    const handle = supervisor.get(id);
    if (handle === undefined) throw new Error('it was not adopted');
    await shows(handle, 'up');
    await handle.sendKeys({ text: 'again', pressEnter: true });
    const { exit } = await handle.ended;

    expect(exit).toEqual({ code: 7, signal: null });
    expect(handle.read().text).toContain('<again>');
    await supervisor.shutdown();
  });

  test('a killed supervisor takes its session processes along', { timeout: 60_000 }, async () => {
    const { directory, socket, marks } = openPlace();
    const host = await startPuppetHost(directory, { options: { terminal: 'tmux' } });
    marks.push(`/${host.supervisorId}/`);
    const { id } = await host.ask('start', {
      command: 'nohup sleep 300 & echo up; sleep 301',
      interactive: true,
      background: true,
    });
    await host.ask('started', id);
    await waitUntil(() => carriers(`/${id}/`).length >= 3, { withinMs });

    await host.kill();

    await waitUntil(() => carriers(`/${id}/`).length === 0, { withinMs });
    await untilSessionsAreGone(socket);
  });

  test('a supervisor killed at any moment of a start leaves nothing', { timeout: 120_000 }, async () => {
    for (const afterMs of [0, 3, 8, 15, 30]) {
      const { directory, socket, marks } = openPlace();
      const host = await startPuppetHost(directory, { options: { terminal: 'tmux' } });
      marks.push(`/${host.supervisorId}/`);
      const started = host
        .ask('start', { command: 'sleep 300', interactive: true, background: true })
        .catch(() => null);
      const untilMs = performance.now() + afterMs;
      await waitUntil(() => performance.now() >= untilMs);

      await host.kill();
      await started;

      await waitUntil(() => carriers(`/${host.supervisorId}/`).length === 0, { withinMs });
      await untilSessionsAreGone(socket);
    }
  });
});
