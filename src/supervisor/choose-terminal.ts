import type { TerminalSize } from '../../machines/process/terminal.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { TerminalView } from '../process/process-view.ts';
import type { Backend } from '../spawn/backend.ts';
import type { NoTerminal } from '../spawn/terminal/terminal-world.ts';
import type { ParsedSpec, PlanningGround } from './planning-ground.ts';

/** What became of the wish for a terminal. */
export interface TerminalChoice {
  readonly view: TerminalView;
  /** `null`: it gets none. */
  readonly backend: Backend | null;
  readonly size: TerminalSize | null;
}

/**
 * `null` where no terminal was asked for.
 *
 * @throws TroupeError `invalid-option` where it is to outlive this program and there is no tmux: any other terminal ends with us.
 */
export function chooseTerminal(
  spec: ParsedSpec,
  { id, ground }: { id: string; ground: PlanningGround },
): TerminalChoice | null {
  if ('run' in spec || !spec.interactive) return null;
  const { terminal: wanted } = ground.settings;
  if (wanted === 'none') return without('the supervisor\'s option "terminal" is "none"', spec);
  const obstacle =
    wanted === 'pty' ? 'the supervisor\'s option "terminal" is "pty"' : findObstacle(spec, ground);
  const tmux = obstacle === null ? ground.terminals.tmux() : { why: obstacle };
  if (!('why' in tmux)) return withTerminal(tmux, { id, size: spec.size, because: 'tmux is installed' });
  if (spec.lifetime === 'persistent') throw notWithoutTmux(tmux);
  if (wanted === 'tmux') return without(tmux.why, spec);
  const pty = ground.terminals.pty();
  if (!('why' in pty)) return withTerminal(pty, { id, size: spec.size, because: tmux.why });
  return without(obstacle === pty.why ? pty.why : `${tmux.why}, and ${pty.why}`, spec);
}

/** tmux writes the log by itself. */
function findObstacle(spec: Exclude<ParsedSpec, { run: unknown }>, { paths }: PlanningGround): string | null {
  if (paths === null) return 'tmux needs a "stateDirectory" to write to';
  if (!spec.logFile) return 'tmux cannot do without a log, and "logFile" is false';
  if (Object.keys(spec.secrets).length > 0)
    return 'tmux writes the log by itself, where "secrets" cannot be replaced';
  return null;
}

function withTerminal(
  backend: Backend,
  { id, size, because }: { id: string; size: TerminalSize; because: string },
): TerminalChoice {
  const attach = backend.attachCommand?.(id) ?? ['troupe', 'attach', id];
  const view = {
    type: 'terminal',
    ...size,
    attach,
    because: `A terminal of ${backend.mode}: ${because}.`,
  } as const;
  return { view, backend, size };
}

function without(why: string, { lifetime }: ParsedSpec): TerminalChoice {
  if (lifetime === 'persistent') throw notWithoutTmux({ why });
  const because = `It has no terminal but pipes: ${why}.`;
  return { view: { type: 'none', because }, backend: null, size: null };
}

function notWithoutTmux({ why }: NoTerminal): TroupeError {
  const message =
    `start: "interactive" and "lifetime": "persistent" go together only in tmux, and ${why}. ` +
    'Install tmux, leave "interactive" out, or use "session".';
  return new TroupeError({ code: 'invalid-option', message });
}
