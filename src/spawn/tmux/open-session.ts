import type { SpawnRequest } from '../backend.ts';
import { defaultSize } from '../terminal/terminal-deps.ts';
import { toCloseCommand, toEndScript, toPipeScript } from './end-script.ts';
import { type TmuxCommand, toTmuxText } from './quoting.ts';
import { planStart } from './start-script.ts';
import { type TmuxAnswer, type TmuxServer, toPaneTarget } from './tmux-server.ts';

export type TmuxRequest = SpawnRequest & { readonly files: NonNullable<SpawnRequest['files']> };

/** Lines that have scrolled out and are kept. */
const historyLines = 10_000;
/** The key that leaves, for whoever is attached; the same as in `troupe attach`. */
const leaveKey = 'C-]';

/** Starts the session of a process, with all that belongs to it, in one piece: there is no moment at which something is missing. */
export async function openSession(
  server: TmuxServer,
  { request, terminalType }: { request: TmuxRequest; terminalType: string },
): Promise<TmuxAnswer> {
  if (request.attempt > 1) await renameEarlierSession(server, request);
  const answer = await server.ask([...serverCommands(terminalType), ...sessionCommands(server, request)]);
  // Where it failed halfway nothing may stay.
  if (!answer.ok && !/duplicate session/.test(answer.error))
    await server.ask([['kill-session', '-t', `=${request.id}`]]);
  return answer;
}

/** What the attempt before has left behind may still hold its terminal. */
function renameEarlierSession(server: TmuxServer, { id, attempt }: TmuxRequest): Promise<TmuxAnswer> {
  return server.ask([['rename-session', '-t', `=${id}`, `${id}-${attempt - 1}`]]);
}

/** For all sessions alike; whoever starts one says it again. */
function serverCommands(terminalType: string): readonly TmuxCommand[] {
  return [
    ['set-option', '-g', 'default-terminal', terminalType],
    ['set-option', '-g', 'history-limit', `${historyLines}`],
    ['set-option', '-g', 'update-environment', ''],
    // A person's Escape is not held back for half a second.
    ['set-option', '-s', 'escape-time', '20'],
    ['bind-key', '-n', leaveKey, 'detach-client'],
    [
      'if-shell',
      '-F',
      `#{${heartbeat}}`,
      '',
      toTmuxText([['set-option', '-g', heartbeat, heartbeatText], repeatHeartbeat]),
    ],
  ];
}

/**
 * tmux 3.3 now and then misses that a child of it has died, until the next one does: then it looks for all. So it has one that dies every few
 * seconds, by its own doing, as there may be no supervisor that would see to it.
 */
const heartbeat = '@troupe_beat';
const heartbeatSeconds = 5;
/** What stands in the option is expanded here, and carried out then. */
const repeatHeartbeat: TmuxCommand = [
  'run-shell',
  '-b',
  '-d',
  `${heartbeatSeconds}`,
  '-C',
  `#{${heartbeat}}`,
];
const heartbeatText = toTmuxText([['run-shell', '-b', 'exit'], repeatHeartbeat]).trimEnd();

function sessionCommands(server: TmuxServer, request: TmuxRequest): readonly TmuxCommand[] {
  const { id, attempt, files, outlives, terminal } = request;
  const { columns, rows } = terminal ?? defaultSize;
  const target = toPaneTarget(id);
  const { argv, env } = planStart(request, { guardPid: outlives ? null : process.pid, server });
  const place = { program: server.program, socket: server.socket, attempt, files };
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const size = ['-x', `${columns}`, '-y', `${rows}`];
  return [
    ['new-session', '-d', '-E', '-s', id, '-n', 'troupe', '-c', '/', ...size, ...variables, '--', ...argv],
    // What tmux runs for the session later is none of its processes: it must not carry their marks, nor what they need to know.
    ...Object.keys(env).map((name) => ['set-environment', '-t', target, '-u', '--', name]),
    ['set-option', '-w', '-t', target, 'remain-on-exit', 'on'],
    ['set-option', '-w', '-t', target, 'remain-on-exit-format', ''],
    ['select-pane', '-t', target, '-T', ''],
    ['set-option', '-t', target, 'status', 'off'],
    ...sizeCommands(id, { columns, rows }),
    ['set-hook', '-t', target, 'client-detached', toTmuxText([resetSize(id)]).trimEnd()],
    [
      'set-hook',
      '-w',
      '-t',
      target,
      'pane-died',
      toTmuxText([toCloseCommand(), ['run-shell', '-b', toEndScript(place)]]).trimEnd(),
    ],
    ['pipe-pane', '-t', target, toPipeScript(place)],
  ];
}

/** It follows the last who attaches, and is as it was when nobody is there any more. */
export function sizeCommands(
  id: string,
  { columns, rows }: { columns: number; rows: number },
): readonly TmuxCommand[] {
  const target = toPaneTarget(id);
  return [
    ['set-option', '-t', target, '@troupe_columns', `${columns}`],
    ['set-option', '-t', target, '@troupe_rows', `${rows}`],
    ['resize-window', '-t', target, '-x', `${columns}`, '-y', `${rows}`],
    ['set-option', '-w', '-t', target, 'window-size', 'latest'],
  ];
}

function resetSize(id: string): TmuxCommand {
  const target = toPaneTarget(id);
  const resize = `resize-window -t ${target} -x #{@troupe_columns} -y #{@troupe_rows} ; set-option -w -t ${target} window-size latest`;
  return ['run-shell', '-t', target, '-C', `#{?session_attached,,${resize}}`];
}
