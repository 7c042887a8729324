import { expect, test } from 'vitest';
import type { WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, TerminalCommand } from '../../../machines/process/terminal.ts';
import type { TmuxRequest } from '../../../src/spawn/tmux/open-session.ts';
import { createPaneTerminal } from '../../../src/spawn/tmux/pane-terminal.ts';
import type { TmuxServer } from '../../../src/spawn/tmux/tmux-server.ts';

type Reply = (answer: WriteResult | CaptureAnswer) => void;

const orders: Record<string, (reply: Reply) => TerminalCommand<WriteResult>> = {
  capture: (reply) => ({ type: 'terminal.capture', scrollbackLines: 0, withDrawing: false, reply }),
  paste: (reply) => ({ type: 'terminal.paste', text: 'x', reply }),
  sendKeys: (reply) => ({ type: 'terminal.sendKeys', strokes: [{ type: 'text', text: 'x' }], reply }),
  resize: (reply) => ({ type: 'process.resize', columns: 90, rows: 20, reply }),
};

test.each(Object.entries(orders))('an order that breaks is answered: %s', async (_, toCommand) => {
  const fail = () => Promise.reject(new Error('no more files'));
  const server = { program: 'tmux', socket: '/nowhere', ask: fail, give: fail, findPane: fail } as TmuxServer;
  const request = { id: 'tool_x', files: { log: '/nowhere/log', status: '/nowhere/status' } } as TmuxRequest;
  const { terminal } = createPaneTerminal({ server, request }, { refusal: async () => null });

  const answer = await new Promise((reply) => terminal.obey(toCommand(reply)));

  expect(answer).toMatchObject({
    ok: false,
    code: 'broken',
    error: expect.stringContaining('no more files'),
  });
});
