import { expect, test } from 'vitest';
import type { SpawnRequest } from '../../../src/spawn/backend.ts';
import { openSession, sizeCommands, type TmuxRequest } from '../../../src/spawn/tmux/open-session.ts';
import type { TmuxCommand } from '../../../src/spawn/tmux/quoting.ts';
import type { TmuxAnswer, TmuxServer } from '../../../src/spawn/tmux/tmux-server.ts';

/** Opens a session on a server that notes its commands and gives these answers in order, then `ok`. */
async function open(more: Partial<SpawnRequest> = {}, answers: readonly TmuxAnswer[] = []) {
  const asked: (readonly TmuxCommand[])[] = [];
  const server = {
    ...{ program: '/usr/bin/tmux', socket: '/run/t.sock' },
    ask: async (commands: readonly TmuxCommand[]) => {
      asked.push(commands);
      return answers[asked.length - 1] ?? { ok: true, text: '' };
    },
  } as unknown as TmuxServer;
  const request = {
    ...{ id: 'tool_a', attempt: 1, work: { type: 'argv', file: 'make', args: ['all'] }, cwd: '/' },
    ...{ env: { A: 'b c', TERM: 'dumb' }, stdin: 'pipe', outlives: true, terminal: null, secrets: [] },
    files: { log: '/s/a.log', status: '/s/a.status', screen: '/s/a.screen' },
    ...more,
  } as TmuxRequest;
  const command = ['make', 'all'];
  const answer = await openSession(server, { request, terminalType: 'tmux-256color', cgroup: null, command });
  return { answer, asked };
}

const failed = (error: string): TmuxAnswer => ({ ok: false, error, isGone: false });

/** Commands of a call, without the scripts, which are long. */
const brief = (commands: readonly TmuxCommand[] = []) =>
  commands.map((command) =>
    command
      .map((word) => (word.length > 60 ? '…' : word))
      .join(' ')
      .replace(/-- .*$/, '-- …'),
  );

test('a session is started with all it needs in one call', async () => {
  const { answer, asked } = await open();

  expect(answer).toEqual({ ok: true, text: '' });
  expect(asked).toHaveLength(1);
  expect(brief(asked[0])).toEqual([
    'set-option -g default-terminal tmux-256color',
    'set-option -g history-limit 10000',
    'set-option -g update-environment ',
    'set-option -s escape-time 20',
    'bind-key -n C-] detach-client',
    'if-shell -F #{@troupe_beat}  …',
    'new-session -d -E -s tool_a -n troupe -c / -x 80 -y 24 -e A=b c -e TERM=dumb -e TROUPE_KEPT_TERM=dumb -- …',
    'set-environment -t =tool_a: -u -- …',
    'set-environment -t =tool_a: -u -- …',
    'set-environment -t =tool_a: -u -- …',
    'set-option -w -t =tool_a: remain-on-exit on',
    'set-option -w -t =tool_a: remain-on-exit-format ',
    'select-pane -t =tool_a: -T ',
    'set-option -t =tool_a: status off',
    'set-option -t =tool_a: @troupe_columns 80',
    'set-option -t =tool_a: @troupe_rows 24',
    'resize-window -t =tool_a: -x 80 -y 24',
    'set-option -w -t =tool_a: window-size latest',
    'set-hook -t =tool_a: client-detached …',
    'set-hook -w -t =tool_a: pane-died …',
    'pipe-pane -t =tool_a: …',
  ]);
});

test('texts that tmux executes later are whole', async () => {
  const { asked } = await open();
  const [commands = []] = asked;
  const heartbeat = commands.find(([verb]) => verb === 'if-shell');
  const detached = commands.find((command) => command.includes('client-detached'));
  const died = commands.find((command) => command.includes('pane-died'));

  const beat = `'run-shell' '-b' '-d' '5' '-C' '#{@troupe_beat}'`;
  expect(heartbeat?.at(-1)).toBe(
    `'set-option' '-g' '@troupe_beat' ''"'"'run-shell'"'"' '"'"'-b'"'"' '"'"'exit'"'"' ; ` +
      `${`'${beat.replaceAll("'", `'"'"'`)}'`.slice(1)} ; ${beat}\n`,
  );
  const resize =
    'resize-window -t =tool_a: -x #{@troupe_columns} -y #{@troupe_rows} ; set-option -w -t =tool_a: window-size latest';
  expect(detached?.at(-1)).toBe(`'run-shell' '-t' '=tool_a:' '-C' '#{?session_attached,,${resize}}'`);
  const isThere = '##{==:##{session_id},#{session_id}}';
  const kill = `kill-session -t '"'"'#{session_id}'"'"'`;
  const close = `'if-shell' '-F' '-t' '#{session_id}' '${isThere}' '${kill}'`.replaceAll("'", `'"'"'`);
  expect(died?.at(-1)?.startsWith(`'run-shell' '-b' '-d' '10' '-C' '${close}' ; 'run-shell' '-b' `)).toBe(
    true,
  );
});

test('variables of the session are removed from it again', async () => {
  const { asked } = await open();

  const removed = asked[0]?.filter(([verb]) => verb === 'set-environment').map((command) => command.at(-1));

  expect(removed).toEqual(['A', 'TERM', 'TROUPE_KEPT_TERM']);
});

test.each([
  [true, ''],
  [false, `${process.pid}`],
])('a launcher watches this program unless its process outlives it: %s', async (outlives, guard) => {
  const { asked } = await open({ outlives });
  const [, , , , , , session = []] = asked[0] ?? [];

  const umask = process.umask().toString(8);
  expect(session.slice(session.indexOf('troupe-launcher'))).toEqual([
    ...['troupe-launcher', guard, '/s/a.status', '1', '/', umask, '', 'make', 'all'],
  ]);
});

test('a terminal has the size that was asked for', () => {
  expect(sizeCommands('tool_a', { columns: 132, rows: 50 })).toEqual([
    ['set-option', '-t', '=tool_a:', '@troupe_columns', '132'],
    ['set-option', '-t', '=tool_a:', '@troupe_rows', '50'],
    ['resize-window', '-t', '=tool_a:', '-x', '132', '-y', '50'],
    ['set-option', '-w', '-t', '=tool_a:', 'window-size', 'latest'],
  ]);
});

test('the session of the attempt before gets another name first', async () => {
  const { asked } = await open({ attempt: 3 });

  expect(asked).toHaveLength(2);
  expect(asked[0]).toEqual([['rename-session', '-t', '=tool_a', 'tool_a-2']]);
});

test('a session that failed halfway is closed', async () => {
  const { answer, asked } = await open({}, [failed('no space for new pane')]);

  expect(answer).toEqual(failed('no space for new pane'));
  expect(asked.slice(1)).toEqual([[['kill-session', '-t', '=tool_a']]]);
});

test('the session of another process is not closed', async () => {
  const { answer, asked } = await open({}, [failed('duplicate session: tool_a')]);

  expect(answer).toEqual(failed('duplicate session: tool_a'));
  expect(asked).toHaveLength(1);
});
