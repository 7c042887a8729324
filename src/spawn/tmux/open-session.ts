import type { SpawnRequest } from '../backend.ts';
import { defaultSize } from '../terminal/terminal-deps.ts';
import { toCloseCommand, toEndScript, toPipeScript } from './end-script.ts';
import { type TmuxCommand, toTmuxText } from './quoting.ts';
import { planStart } from './start-script.ts';
import { type TmuxAnswer, type TmuxServer, toPaneTarget } from './tmux-server.ts';

export type TmuxRequest = SpawnRequest & { readonly files: NonNullable<SpawnRequest['files']> };

/** Start of one attempt. */
interface SessionStart {
  readonly request: TmuxRequest;
  readonly cgroup: string | null;
  /** Command with its limits. */
  readonly command: readonly string[];
}

/** Lines of scrollback that are kept. */
const historyLines = 10_000;
/** Key that detaches, the same as in `troupe attach`. */
const leaveKey = 'C-]';

/** Starts the session of a process with everything it needs in one step, so that nothing is missing at any moment. */
export async function openSession(
  server: TmuxServer,
  { request, terminalType, cgroup, command }: SessionStart & { readonly terminalType: string },
): Promise<TmuxAnswer> {
  if (request.attempt > 1) await renameEarlierSession(server, request);
  const answer = await server.ask([
    ...serverCommands(terminalType),
    ...sessionCommands(server, { request, cgroup, command }),
  ]);
  // After a partial failure nothing may stay.
  if (!answer.ok && !/duplicate session/.test(answer.error))
    await server.ask([['kill-session', '-t', `=${request.id}`]]);
  return answer;
}

/** Renames the session of the attempt before, whose leftovers may still hold its terminal. */
function renameEarlierSession(server: TmuxServer, { id, attempt }: TmuxRequest): Promise<TmuxAnswer> {
  return server.ask([['rename-session', '-t', `=${id}`, `${id}-${attempt - 1}`]]);
}

/** Options of the whole server, set again with each session. */
function serverCommands(terminalType: string): readonly TmuxCommand[] {
  return [
    ['set-option', '-g', 'default-terminal', terminalType],
    ['set-option', '-g', 'history-limit', `${historyLines}`],
    ['set-option', '-g', 'update-environment', ''],
    // Escape is not delayed by half a second.
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
 * Option that makes a child of the server die every few seconds: tmux 3.3 sometimes misses the death of a child until the next
 * one dies. The server does it itself, because there may be no supervisor.
 */
const heartbeat = '@troupe_beat';
const heartbeatSeconds = 5;
/** Command that expands the option and executes it. */
const repeatHeartbeat: TmuxCommand = [
  'run-shell',
  '-b',
  '-d',
  `${heartbeatSeconds}`,
  '-C',
  `#{${heartbeat}}`,
];
const heartbeatText = toTmuxText([['run-shell', '-b', 'exit'], repeatHeartbeat]).trimEnd();

function sessionCommands(
  server: TmuxServer,
  { request, cgroup, command }: SessionStart,
): readonly TmuxCommand[] {
  const { id, attempt, files, outlives, terminal } = request;
  const { columns, rows } = terminal ?? defaultSize;
  const target = toPaneTarget(id);
  const { argv, env } = planStart(request, {
    guardPid: outlives ? null : process.pid,
    server,
    cgroup,
    command,
  });
  const place = { program: server.program, socket: server.socket, attempt, files };
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const size = ['-x', `${columns}`, '-y', `${rows}`];
  return [
    ['new-session', '-d', '-E', '-s', id, '-n', 'troupe', '-c', '/', ...size, ...variables, '--', ...argv],
    // Programs that tmux runs later for the session are no processes of it: they must not carry its lineage or variables.
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

/** Sets the size. It follows the last client that attaches, and returns when none is left. */
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
