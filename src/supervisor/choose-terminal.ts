import { basename, dirname, relative } from 'node:path';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import type { CommandSettings, ParsedSpec } from '../config/process-spec.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { TerminalView } from '../process/process-view.ts';
import type { Backend } from '../spawn/backend.ts';
import type { Unavailable } from '../spawn/terminal/terminal-deps.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/** Terminal of an interactive process, with the reason for the choice. */
export interface TerminalChoice {
  readonly view: TerminalView;
  /** `null` for a process without a terminal. */
  readonly backend: Backend | null;
  readonly size: TerminalSize | null;
}

/**
 * Chooses tmux, a pty or pipes for an interactive process; `null` for any other process.
 *
 * @throws TroupeError `invalid-option` for a persistent process without tmux: any other terminal ends with this program.
 */
export function chooseTerminal(
  spec: ParsedSpec,
  { id, host, deps }: { id: string; host: string | null; deps: SupervisorDeps },
): TerminalChoice | null {
  if ('run' in spec || !spec.interactive) return null;
  if (host !== null && deps.remote !== null)
    return withTerminal(deps.remote, { id, spec, deps, because: `A terminal of its worker in ${host}.` });
  const { terminal: wanted } = deps.settings;
  if (wanted === 'none') return without(notWanted(wanted), spec);
  const obstacle = wanted === 'pty' ? notWanted(wanted) : findObstacle(spec, deps);
  const tmux = obstacle ?? deps.terminals.tmux();
  if (!('why' in tmux)) {
    if (Object.keys(spec.secrets).length > 0) return without(cannotHide, spec);
    return withTerminal(tmux, { id, spec, deps, because: `A terminal of ${tmux.mode}: tmux is installed.` });
  }
  if (spec.lifetime === 'persistent') throw notWithoutTmux(tmux);
  if (wanted === 'tmux') return without(tmux, spec);
  const pty = deps.terminals.pty();
  if (!('why' in pty))
    return withTerminal(pty, { id, spec, deps, because: `A terminal of ${pty.mode}: ${tmux.why}.` });
  return without(tmux.why === pty.why ? pty : { ...pty, why: `${tmux.why}, and ${pty.why}` }, spec);
}

function notWanted(wanted: 'none' | 'pty'): Unavailable {
  const why = `the supervisor's option "terminal" is "${wanted}"`;
  return { why, remedy: 'Set that option to "auto" or "tmux"' };
}

/** Refuses tmux without falling back to a pty: a process with secrets must not get the less protected terminal. */
const cannotHide: Unavailable = {
  why: 'tmux writes the log itself, where "secrets" cannot be hidden',
  remedy: 'Leave "secrets" out, and type them with `writeSecret`',
};

/** Returns the reason why tmux cannot be used; tmux writes the log itself, so it needs one. */
function findObstacle(spec: CommandSettings, { paths }: SupervisorDeps): Unavailable | null {
  if (paths === null)
    return { why: 'tmux needs a "stateDirectory" to write to', remedy: 'Give the supervisor one' };
  if (!spec.logFile)
    return {
      why: 'tmux needs a log, and "logFile" is false',
      remedy: 'Leave "logFile" out',
    };
  return null;
}

function withTerminal(
  backend: Backend,
  choice: { id: string; spec: CommandSettings; deps: SupervisorDeps; because: string },
): TerminalChoice {
  const { id, deps, because } = choice;
  const { size } = choice.spec;
  const view: TerminalView = {
    type: 'terminal',
    ...size,
    attach: backend.attachCommand?.(id) ?? toAttachCommand(id, deps),
    because,
  };
  return { view, backend, size };
}

/** Returns the command to attach. `troupe` finds a `.troupe` from the working directory upwards; any other directory is named. */
function toAttachCommand(id: string, { paths, cwd, settings }: SupervisorDeps): readonly string[] | null {
  if (paths === null || !settings.control) return null;
  const isFound =
    basename(paths.directory) === '.troupe' && !relative(dirname(paths.directory), cwd).startsWith('..');
  return ['troupe', 'attach', ...(isFound ? [] : ['--state-dir', paths.directory]), id];
}

function without({ why, remedy }: Unavailable, { lifetime }: ParsedSpec): TerminalChoice {
  if (lifetime === 'persistent') throw notWithoutTmux({ why, remedy });
  const because = `It has pipes instead of a terminal: ${why}.`;
  return { view: { type: 'none', because }, backend: null, size: null };
}

function notWithoutTmux({ why, remedy }: Unavailable): TroupeError {
  const message =
    `start: "interactive" with "lifetime": "persistent" needs tmux, and ${why}. ` +
    `${remedy}, leave "interactive" out, or use "session".`;
  return new TroupeError({ code: 'invalid-option', message });
}
