import type { CommandSpec } from '../config/process-spec.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { type FollowedText, toFollowedText } from '../output/followed-text.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { StateDirectory } from '../state-directory/state-directory.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** Processes as an inspector shows and steers them: those of one program, or of a state directory. */
export interface InspectedProcesses
  extends Pick<
    StateDirectory,
    | 'show'
    | 'times'
    | 'follow'
    | 'kill'
    | 'signal'
    | 'pause'
    | 'resume'
    | 'write'
    | 'endInput'
    | 'sendKeys'
    | 'paste'
    | 'resize'
    | 'restart'
    | 'background'
    | 'changeLimits'
  > {
  /** Starts a command in the background and returns its id. */
  start(spec: CommandSpec): Promise<string>;
}

/** Opens the processes of a supervisor of this program. */
export function toInspectedProcesses(supervisor: Supervisor): InspectedProcesses {
  const find = (id: string): ProcessHandle => {
    const handle = supervisor.get(id);
    if (handle !== undefined) return handle;
    const message = `Process ${quote(id)} is not one of supervisor ${supervisor.id}, or it was forgotten.`;
    throw new TroupeError({ code: 'not-found', message });
  };
  return {
    show: async (id) => {
      const handle = find(id);
      await handle.awaitedInput();
      const { id: supervisorId } = supervisor;
      return { view: handle.view(), timeline: handle.timeline(), supervisorId, answered: true };
    },
    times: async (id) => find(id).times(),
    follow: (id, { from, signal }) => follow(find(id), { from, signal }),
    kill: async (id, options) => find(id).kill(options),
    signal: async (id, options) => find(id).signal(options),
    pause: async (id) => find(id).pause(),
    resume: async (id) => find(id).resume(),
    write: async (id, data) => find(id).write(data),
    endInput: async (id) => find(id).endInput(),
    sendKeys: async (id, order) => find(id).sendKeys(order),
    paste: async (id, text) => find(id).paste(text),
    resize: async (id, size) => find(id).resize(size),
    restart: async (id) => find(id).restart('user'),
    background: async (id) => find(id).background('user'),
    changeLimits: async (id, changes) => find(id).changeLimits(changes),
    start: async (spec) => supervisor.start(spec).id,
  };
}

async function* follow(
  handle: ProcessHandle,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal | undefined },
): AsyncGenerator<FollowedText, void> {
  const pieces = handle.output({ from, ...(signal && { signal }) });
  for await (const piece of pieces) yield toFollowedText(piece);
}

/**
 * Returns the order that starts the command of a process once more, in the background. Its environment is that of the supervisor that
 * starts it: the one of the first start is not kept in the view.
 *
 * @throws TroupeError `invalid-option` for a function.
 */
export function toSameCommand(view: ProcessView): CommandSpec {
  const { command, cwd, label, owner, lifetime, kind, metadata, terminal } = view;
  if (command.type === 'function') {
    const message = `Process ${view.id} runs the function ${quote(command.name)} of its program, which starts it again itself; only commands can be started from here.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
  return {
    command: command.type === 'argv' ? command.argv : command.script,
    ...(command.type === 'shell' && { shell: command.shell }),
    ...{ cwd, owner, lifetime, kind, metadata, background: true },
    ...(label !== null && { label }),
    ...(terminal?.type === 'terminal' && { interactive: true }),
  };
}
