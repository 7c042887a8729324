import { expect, test } from 'vitest';
import type { WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, TerminalCommand } from '../../../machines/process/terminal.ts';
import type { Clock } from '../../../src/clock/clock.ts';
import type { TmuxRequest } from '../../../src/spawn/tmux/open-session.ts';
import { createPaneTerminal } from '../../../src/spawn/tmux/pane-terminal.ts';
import { createTmuxServer, type TmuxServer } from '../../../src/spawn/tmux/tmux-server.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { isInstalled } from '../../support/installed.ts';
import { endBy } from '../../support/orders.ts';
import { createStage, shell, tmux } from './arrange.ts';

const hush = { type: 'terminal.sendKeys', strokes: [{ type: 'paste', text: 'hush' }] } as const;

type Reply = (answer: WriteResult | CaptureAnswer) => void;

const orders: Record<string, (reply: Reply) => TerminalCommand<WriteResult>> = {
  capture: (reply) => ({ type: 'terminal.capture', scrollbackLines: 0, withDrawing: false, reply }),
  paste: (reply) => ({ type: 'terminal.sendKeys', strokes: [{ type: 'paste', text: 'x' }], reply }),
  sendKeys: (reply) => ({ type: 'terminal.sendKeys', strokes: [{ type: 'text', text: 'x' }], reply }),
  resize: (reply) => ({ type: 'process.resize', columns: 90, rows: 20, reply }),
};

test.each(Object.entries(orders))('a command that breaks is answered: %s', async (_, toCommand) => {
  const fail = () => Promise.reject(new Error('no more files'));
  const server = { program: 'tmux', socket: '/nowhere', ask: fail, run: fail, findPane: fail } as TmuxServer;
  const request = { id: 'tool_x', files: { log: '/nowhere/log', status: '/nowhere/status' } } as TmuxRequest;
  const { terminal } = createPaneTerminal({
    server,
    request,
    clock: createVirtualClock(),
    getRefusal: async () => null,
  });

  const answer = await new Promise((reply) => terminal.execute(toCommand(reply)));

  expect(answer).toMatchObject({
    ok: false,
    code: 'broken',
    error: expect.stringContaining('no more files'),
  });
});

test.skipIf(!isInstalled('tmux'))('a failed paste leaves no buffer', async () => {
  const stage = createStage();
  const other = stage.run(shell('echo up; sleep 300'));
  await other.shows('up');
  const server = createTmuxServer({ program: 'tmux', socket: stage.socket });
  const request = stage.createRequest(shell('true'));
  const { terminal } = createPaneTerminal({
    server,
    request,
    clock: createVirtualClock(),
    getRefusal: async () => null,
  });

  const answer = await new Promise((reply) => terminal.execute({ ...hush, reply }));

  expect(answer).toMatchObject({ ok: false, code: 'notRunning' });
  expect(tmux(stage.socket, 'list-buffers')).toBe('');
  other.send(endBy('SIGKILL'));
  await other.fact('output.ended');
});

/** Clock whose timers fire at once. */
function createHastyClock(): Clock {
  let timeMs = 0;
  return {
    nowMs: () => timeMs,
    epochMs: () => timeMs,
    at: (atMs, callback) => {
      timeMs = Math.max(timeMs, atMs);
      setImmediate(callback);
      return () => {};
    },
  };
}

test.skipIf(!isInstalled('tmux'))('tmux gets little input that is not read', async () => {
  const stage = createStage();
  const run = stage.run(shell('stty raw -echo; printf ready; sleep 300'));
  await run.shows('ready');
  const server = createTmuxServer({ program: 'tmux', socket: stage.socket });
  const { input } = createPaneTerminal({
    server,
    request: run.request,
    clock: createHastyClock(),
    getRefusal: async () => null,
  });

  const answer = await input.write(Buffer.alloc(5_000_000, 'x'));
  const next = await input.write(Buffer.from('y'));

  expect(answer).toMatchObject({ ok: false, code: 'notReading' });
  expect(answer.bytesWritten).toBeLessThanOrEqual(64 * 1024);
  expect(next).toMatchObject({ ok: false, code: 'notReading', bytesWritten: 0 });
  run.send(endBy('SIGKILL'));
  await run.fact('output.ended');
});

test.skipIf(!isInstalled('tmux'))('input queued behind unread input is refused with it', async () => {
  const stage = createStage();
  const run = stage.run(shell('stty raw -echo; printf ready; sleep 300'));
  await run.shows('ready');
  const server = createTmuxServer({ program: 'tmux', socket: stage.socket });
  const clock = createHastyClock();
  const { input, terminal } = createPaneTerminal({
    server,
    request: run.request,
    clock,
    getRefusal: async () => null,
  });

  let unreadAtMs = 0;
  const [, ...answers] = await Promise.all([
    input.write(Buffer.alloc(5_000_000, 'x')).then(() => {
      unreadAtMs = clock.nowMs();
    }),
    input.write(Buffer.from('y')),
    input.write(Buffer.from('z')),
    new Promise((reply) => terminal.execute({ ...hush, reply })),
    input.end(),
  ]);

  for (const answer of answers) expect(answer).toMatchObject({ code: 'notReading', bytesWritten: 0 });
  // None of them waits again for a program that does not read.
  expect(clock.nowMs() - unreadAtMs).toBeLessThan(10_000);
  run.send(endBy('SIGKILL'));
  await run.fact('output.ended');
});
