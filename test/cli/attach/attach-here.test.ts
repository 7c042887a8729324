import type { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { EndSignal } from '../../../src/cli/end-signals.ts';
import { attachTerminal } from '../../../src/cli/verbs/attach/attach.ts';
import { attachHere } from '../../../src/cli/verbs/attach/attach-here.ts';
import { parseLeaveKey } from '../../../src/cli/verbs/attach/leave-key.ts';
import type { ProcessView } from '../../../src/process/process-view.ts';
import { waitUntil } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { processView } from '../process-views.ts';

const terminal = {
  type: 'terminal',
  columns: 80,
  rows: 24,
  attach: ['tmux'],
  because: 'A terminal.',
} as const;
const screen = {
  ...{ columns: 80, rows: 24, lines: ['moin'], scrollback: [], title: null },
  ...{ cursor: { column: 4, row: 0, isVisible: true }, isAlternate: false, isLast: false },
};

function arrange({ mode = 'pty', key }: { mode?: ProcessView['mode']; key?: string } = {}) {
  const { io, ...fake } = fakeIo({ columns: 80 });
  Object.assign(io.stdin, { setRawMode: () => io.stdin });
  const view: ProcessView = { ...processView({ id: 'tool_a', label: 'it' }), mode, terminal };
  const state = fakeStateDirectory([{ view, screen: { ok: true, screen, drawing: 'moin', offset: 0 } }]);
  const signals: EndSignal[] = [];
  const call = {
    ...{ view, io, state: state.open(), leaveKey: parseLeaveKey(key), isReadOnly: false },
    onSignal: (signal: EndSignal) => void signals.push(signal),
  };
  return { ...fake, call, signals, stdin: io.stdin as unknown as PassThrough };
}

test.each([
  ['an error', (stdin: PassThrough) => void stdin.emit('error', new Error('EIO'))],
  ['the end', (stdin: PassThrough) => void stdin.emit('end')],
])('%s of the terminal ends nothing that was left', async (_what, happens) => {
  const given = arrange();
  const attached = attachHere(given.call);
  given.type('\x1d');
  const end = await attached;

  happens(given.stdin);

  expect(end).toEqual({ type: 'left' });
  expect(given.signals).toEqual([]);
});

test('a terminal that was given back is left alone when the program continues', async () => {
  const listeners = () => process.listenerCount('SIGCONT');
  const before = listeners();
  const given = arrange();
  const attached = attachHere(given.call);
  await waitUntil(() => listeners() > before);

  given.type('\x1d');
  await attached;

  expect(listeners()).toBe(before);
});

test('an error of the terminal while a user is attached is a hangup', async () => {
  const given = arrange();
  const attached = attachHere(given.call);
  await waitUntil(() => given.stdin.listenerCount('error') > 0);

  given.stdin.emit('error', new Error('EIO'));

  expect(await attached).toEqual({ type: 'signalled', signal: 'SIGHUP' });
  expect(given.signals).toEqual(['SIGHUP']);
});

test('a key of its own to leave is refused in tmux', async () => {
  const given = arrange({ mode: 'tmux', key: 'C-q' });

  const code = await attachTerminal(given.call);

  expect(code).toBe(1);
  expect(given.stderr()).toContain('where the key is Ctrl-], not Ctrl-q');
  expect(given.stderr()).toContain('troupe attach tool_a');
});
