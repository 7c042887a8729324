import { accessSync, closeSync, constants, rmSync } from 'node:fs';
import type { Clock } from '../../clock/clock.ts';
import { toError } from '../../config/error-text.ts';
import { toClause } from '../../config/quote.ts';
import { redactText } from '../../output/redact.ts';
import type { Backend, BackendPort, SpawnRequest, ToldFact } from '../backend.ts';
import { findAdopted } from '../cgroup/join-cgroup.ts';
import { findLongArgument, findNulByte, toCommand } from '../command-line.ts';
import { openForAppending, toFileFailure, UnusableFile } from '../file/unusable-file.ts';
import { findProgram } from '../find-program.ts';
import { toLimited } from '../limits.ts';
import { refuseAll } from '../refusals.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import type { TerminalDeps, Unavailable } from '../terminal/terminal-deps.ts';
import { closeSessions } from './close-sessions.ts';
import { findTerminalType, findTmux } from './find-tmux.ts';
import { followPane } from './follow-pane.ts';
import { openSession, type TmuxRequest } from './open-session.ts';
import { createTmuxServer } from './tmux-server.ts';

/**
 * Gives each process a terminal of tmux, in a server that the supervisors of one state directory share. The server writes the output
 * and the exit of a process even while no supervisor runs; another supervisor then adopts it, and a person can attach at any time.
 *
 * Beside each command run a small launcher shell (see `planStart`), and the shell and `cat` that write its output. The order of
 * writes is the same as in the file backend, so every live process can be found.
 */
export function createTmuxBackend(deps: TerminalDeps): Backend | Unavailable {
  if (deps.tmuxSocket === null)
    return { why: 'tmux needs a "stateDirectory" to write to', remedy: 'Give the supervisor one' };
  const program = findTmux();
  if (typeof program !== 'string') return program;
  const socket = tryMakeSocket(deps.tmuxSocket);
  if (typeof socket !== 'string') return socket;
  const server = createTmuxServer({ program, socket, starter: deps.starter });
  const terminalType = findTerminalType();
  /** Sessions that end with this program and whose end was not seen, with their clocks. */
  const unseen = new Map<string, Clock>();

  async function open(
    request: TmuxRequest,
    { tell, cgroup }: { tell: BackendPort['tell']; cgroup: string | null },
  ): Promise<boolean> {
    if (request.attempt > 1) removeScreen(request);
    const refuse = (refusal: ToldFact) => {
      if (cgroup !== null) deps.cgroups?.remove(cgroup);
      tell(refusal);
      return false;
    };
    const refusal = await prepare(request);
    if (refusal !== null) return refuse(refusal);
    const { limits, env, work } = request;
    const command = toLimited(toCommand(work, 'tmux'), { limits, env, cgroup, joins: false });
    if (command instanceof Error) return refuse(await toSpawnFailure(command, request));
    const answer = await openSession(server, { request, terminalType, cgroup, command });
    return answer.ok || refuse(describeOpenFailure(answer.error, request));
  }

  /** Removes the screen of the attempt before, so that it is never taken for one of this attempt. */
  function removeScreen({ files }: TmuxRequest): void {
    try {
      rmSync(files.screen, { force: true });
    } catch (error) {
      deps.reportError(error);
    }
  }

  return {
    mode: 'tmux',
    capabilities: {
      input: true,
      terminal: true,
      osProcesses: true,
      separateStreams: false,
      durable: true,
      limits: true,
    },
    run: (port) => {
      const { request } = port;
      if (!hasFiles(request)) {
        refuseAll(port);
        const error = new Error('the tmux backend needs "files" for log and status');
        void toSpawnFailure(error, request).then(port.tell);
        return () => {};
      }
      // Before the start: this program may die in the same turn, and its watchdog must know by then.
      if (request.outlives) deps.trees.exempt(request.id);
      else {
        deps.trees.prepare();
        unseen.set(request.id, port.clock);
      }
      // Not in the turn of `run`: its caller does not listen yet.
      const cgroup = deps.cgroups?.open(request) ?? null;
      const opened = Promise.resolve().then(() => open(request, { tell: port.tell, cgroup }));
      const tell: BackendPort['tell'] = (fact) => {
        if (fact.type === 'output.ended' || fact.type === 'process.spawnFailed') unseen.delete(request.id);
        port.tell(fact);
      };
      const seeing = { ...port, tell };
      return followPane({ port: seeing, request, deps, server, isAdopted: false, opened, cgroup });
    },
    adopt: (port) => {
      const { request } = port;
      if (!hasFiles(request)) {
        refuseAll(port);
        const why = 'its record names no status file';
        port.tell({ type: 'process.lost', why });
        return () => {};
      }
      deps.trees.exempt(request.id);
      const opened = Promise.resolve(true);
      const cgroup = findAdopted(port, deps.cgroups);
      return followPane({ port, request, deps, server, isAdopted: true, opened, cgroup });
    },
    close: async () => {
      const [clock] = unseen.values();
      if (clock !== undefined) await closeSessions(server, { sessions: unseen.keys(), clock });
    },
    attachCommand: (id) => [program, '-u', '-S', socket, 'attach-session', '-t', `=${id}`],
  };
}

function tryMakeSocket(makeSocket: () => string): string | Unavailable {
  try {
    return makeSocket();
  } catch (error) {
    const why = `tmux has no place for its socket: ${toClause(toError(error).message)}`;
    return { why, remedy: 'Give the supervisor another "stateDirectory"' };
  }
}

function hasFiles(request: SpawnRequest): request is TmuxRequest {
  return request.files !== null;
}

/** Bytes of the launcher with its arguments, and of what tmux adds. */
const launcherBytes = 12 * 1024;

/** Checks what tmux would only show on the screen, or ignore, and returns the failure as the system would report it. */
async function prepare(request: TmuxRequest): Promise<ToldFact | null> {
  try {
    const { cwd, env, work, files } = request;
    const [file] = toCommand(work, 'tmux');
    const nulByte = findNulByte(request);
    if (nulByte !== null) throw nulByte;
    // `/.` because only a directory has such an entry.
    accessSync(`${cwd}/.`, constants.X_OK);
    const found = findProgram(file, { path: env['PATH'] ?? '/bin:/usr/bin', cwd });
    if (found instanceof Error) throw found;
    const tooLong = findLongArgument(request, { besideBytes: launcherBytes });
    if (tooLong !== null) throw tooLong;
    // Created here so that only their owner may read them, whatever the server's umask.
    for (const path of [files.log, files.status]) closeSync(openForAppending(path));
    return null;
  } catch (error) {
    return error instanceof UnusableFile ? toFileFailure(error, request) : toSpawnFailure(error, request);
  }
}

function describeOpenFailure(error: string, { secrets }: SpawnRequest): ToldFact {
  const message = `tmux could not create a terminal for it: ${error}. Start it again, or without interactive: true.`;
  return { type: 'process.spawnFailed', cause: 'other', code: null, message: redactText(message, secrets) };
}
