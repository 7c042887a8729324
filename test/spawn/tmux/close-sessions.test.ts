import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { closeSessions } from '../../../src/spawn/tmux/close-sessions.ts';
import type { TmuxServer } from '../../../src/spawn/tmux/tmux-server.ts';
import { createVirtualClock } from '../../../src/testing/index.ts';

/** A server with sessions of which each lasts until a test ends it. */
function arrange(...sessions: readonly string[]) {
  const open = new Set(sessions);
  const asked: string[] = [];
  const clock = createVirtualClock();
  const server: TmuxServer = {
    program: 'tmux',
    socket: 'socket',
    ask: async (commands) => {
      asked.push(...commands.map((command) => command.join(' ')));
      return { ok: true, text: '' };
    },
    run: async () => ({ ok: true, text: '' }),
    findPane: async (session) => (open.has(session) ? { pid: 1, isDead: true } : null),
  };
  let isClosed = false;
  void closeSessions(server, { sessions, clock }).then(() => {
    isClosed = true;
  });
  return {
    open,
    asked,
    isClosed: () => isClosed,
    /** Advances the clock in small steps, and checks the sessions after each one. */
    pass: async (ms: number) => {
      for (let passedMs = 0; passedMs < ms; passedMs += 25) {
        await setImmediate();
        clock.advance(25);
      }
      await setImmediate();
    },
  };
}

test('closing waits until every session is gone', async () => {
  const given = arrange('one', 'two');

  given.open.delete('one');
  await given.pass(100);
  const whileOneIsOpen = given.isClosed();
  given.open.delete('two');
  await given.pass(25);

  expect([whileOneIsOpen, given.isClosed()]).toEqual([false, true]);
  expect(given.asked).toEqual([]);
});

test('tmux is nudged once about a session that stays', async () => {
  const given = arrange('slow');

  await given.pass(1_000);

  expect(given.asked).toEqual(['run-shell -b exit']);
  expect(given.isClosed()).toBe(false);
});

test('a session that stays for too long is closed', async () => {
  const given = arrange('stuck');

  await given.pass(1_600);

  expect(given.asked).toEqual(['run-shell -b exit', 'kill-session -t =stuck']);
  expect(given.isClosed()).toBe(true);
});
