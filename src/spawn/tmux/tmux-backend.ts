import { accessSync, closeSync, constants, rmSync } from 'node:fs';
import type { Clock } from '../../clock/clock.ts';
import { toError } from '../../config/error-text.ts';
import { redactText } from '../../output/redact-text.ts';
import type { Backend, BackendPort, SpawnRequest, ToldFact } from '../backend.ts';
import { findProgram } from '../file/find-program.ts';
import { openForAppending, toFileFailure, UnusableFile } from '../file/unusable-file.ts';
import { findLongArgument } from '../long-argument.ts';
import { findNulByte } from '../nul-byte.ts';
import { refuseAll } from '../refuse-all.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import type { TerminalWorld, Unavailable } from '../terminal/terminal-world.ts';
import { toCommand } from '../to-command.ts';
import { closeSessions } from './close-sessions.ts';
import { findTmux } from './find-tmux.ts';
import { followPane } from './follow-pane.ts';
import { openSession, type TmuxRequest } from './open-session.ts';
import { findTerminalType } from './terminal-type.ts';
import { createTmuxServer } from './tmux-server.ts';

/**
 * Gives each process a terminal of tmux, in a server that the supervisors of one state directory share. The server takes the output down and writes how
 * a process ended, also while none of them is there; another one adopts it then, and a person can look at it at any time.
 *
 * Beside each command are a small shell that launches it (see `planStart`), and the shell and `cat` that take its output down. The order of writes is
 * the same as in the file backend, so whatever is alive can be found.
 */
export function createTmuxBackend(world: TerminalWorld): Backend | Unavailable {
  if (world.tmuxSocket === null)
    return { why: 'tmux needs a "stateDirectory" to write to', remedy: 'Give the supervisor one' };
  const program = findTmux();
  if (typeof program !== 'string') return program;
  const socket = tryPlace(world.tmuxSocket);
  if (typeof socket !== 'string') return socket;
  const server = createTmuxServer({ program, socket });
  const terminalType = findTerminalType();
  /** Of those that end with this program: sessions whose end was not seen. */
  const unseen = new Map<string, Clock>();

  async function open(request: TmuxRequest, { tell }: BackendPort): Promise<boolean> {
    if (request.attempt > 1) forgetScreen(request);
    const refusal = await prepare(request);
    if (refusal !== null) {
      tell(refusal);
      return false;
    }
    const answer = await openSession(server, { request, terminalType });
    if (!answer.ok) tell(noSession(answer.error, request));
    return answer.ok;
  }

  /** That of the attempt before: where this one leaves none, there is none. */
  function forgetScreen({ files }: TmuxRequest): void {
    try {
      rmSync(files.screen, { force: true });
    } catch (error) {
      world.reportError(error);
    }
  }

  return {
    mode: 'tmux',
    capabilities: { input: true, terminal: true, osProcesses: true, separateStreams: false, durable: true },
    run: (port) => {
      const { request } = port;
      if (!hasFiles(request)) {
        refuseAll(port);
        const error = new Error('the tmux backend needs "files" for log and status');
        void toSpawnFailure(error, request).then(port.tell);
        return () => {};
      }
      // Before it is there: this program may be gone in the same turn, and its watchdog must know.
      if (request.outlives) world.trees.spare(request.id);
      else {
        world.trees.prepare();
        unseen.set(request.id, port.clock);
      }
      // Never in the turn of `run`: whoever called it does not listen yet.
      const opened = Promise.resolve().then(() => open(request, port));
      const tell: BackendPort['tell'] = (fact) => {
        if (fact.type === 'output.ended' || fact.type === 'process.spawnFailed') unseen.delete(request.id);
        port.tell(fact);
      };
      const seeing = { ...port, tell };
      return followPane({ port: seeing, request, world, server, isAdopted: false, opened });
    },
    adopt: (port) => {
      const { request } = port;
      if (!hasFiles(request)) {
        refuseAll(port);
        const why = 'its record names no file in which its end would be written';
        port.tell({ type: 'process.lost', why });
        return () => {};
      }
      world.trees.spare(request.id);
      const opened = Promise.resolve(true);
      return followPane({ port, request, world, server, isAdopted: true, opened });
    },
    close: async () => {
      const [clock] = unseen.values();
      if (clock !== undefined) await closeSessions(server, { sessions: unseen.keys(), clock });
    },
    attachCommand: (id) => [program, '-u', '-S', socket, 'attach-session', '-t', `=${id}`],
  };
}

function tryPlace(place: () => string): string | Unavailable {
  try {
    return place();
  } catch (error) {
    const why = `tmux has no place to listen at: ${toError(error).message.replace(/\.$/, '')}`;
    return { why, remedy: 'Give the supervisor another "stateDirectory"' };
  }
}

function hasFiles(request: SpawnRequest): request is TmuxRequest {
  return request.files !== null;
}

/** The launcher with its words, and what tmux adds. */
const launcherBytes = 12 * 1024;

/** Why it cannot be started, as the system would say it: tmux would show that on the screen, or run it somewhere else. */
async function prepare(request: TmuxRequest): Promise<ToldFact | null> {
  try {
    const { cwd, env, work, files } = request;
    const [file] = toCommand(work, 'tmux');
    const nulByte = findNulByte(request);
    if (nulByte !== null) throw nulByte;
    // The shell in the terminal would say it there. What is no directory has no entry `.`.
    accessSync(`${cwd}/.`, constants.X_OK);
    const found = findProgram(file, { path: env['PATH'] ?? '/bin:/usr/bin', cwd });
    if (found instanceof Error) throw found;
    const tooLong = findLongArgument(request, { besideBytes: launcherBytes });
    if (tooLong !== null) throw tooLong;
    // They are for their owner alone, whatever the server makes.
    for (const path of [files.log, files.status]) closeSync(openForAppending(path));
    return null;
  } catch (error) {
    return error instanceof UnusableFile ? toFileFailure(error, request) : toSpawnFailure(error, request);
  }
}

function noSession(error: string, { secrets }: SpawnRequest): ToldFact {
  const message = `tmux could not make a terminal for it: ${error}. Start it again, or without interactive: true.`;
  return { type: 'process.spawnFailed', cause: 'other', code: null, message: redactText(message, secrets) };
}
