import { pause } from '../clock/pause.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { StateDirectory } from '../state-directory/state-directory.ts';
import { type CliIo, printNote, toProgramName } from './cli-io.ts';
import { lockStart } from './lock-start.ts';
import { toPrintable } from './render/printable.ts';
import { toProcessName } from './render/process-text.ts';
import { isStopped } from './verbs/up/stack-processes.ts';

interface StartAlone {
  readonly state: StateDirectory;
  /** Ends the process that has the name; otherwise the start is refused. */
  readonly replaces: boolean;
  readonly io: CliIo;
  /** Id that the start asks for: a process that has it may have the name as well, and is not ended. */
  readonly id?: string | undefined;
}

/** Another start of the same name may first have to end a process. */
const LOCK_WITHIN_MS = 60_000;
/** A supervisor is asked as soon as it listens. */
const LISTED_WITHIN_MS = 5_000;
const LOOK_MS = 20;

/**
 * Starts a process while no live process of the state directory has its name, whichever program supervises it. Two starts of one name at
 * once exclude each other by a lock file, which is held until the process is listed. Without a name nothing is checked.
 *
 * @throws TroupeError `duplicate` if the name is taken, or if what has it cannot be ended.
 */
export async function startAlone<T extends { readonly id: string }>(
  name: string | undefined,
  { state, replaces, io, id }: StartAlone,
  start: () => T | Promise<T>,
): Promise<T> {
  if (name === undefined) return start();
  const release = await lockStart(state, {
    kind: 'name',
    name,
    withinMs: LOCK_WITHIN_MS,
    advice: `it starts a process of the name "${toPrintable(name)}" and does not finish. End it, and try again`,
  });
  try {
    for (const view of await findLive(name, state)) {
      if (view.id === id) continue;
      if (!replaces) throw nameTaken(view, io);
      await end(view, { state, io });
    }
    const started = await start();
    await untilListed(started.id, state);
    return started;
  } finally {
    release();
  }
}

async function findLive(name: string, state: StateDirectory): Promise<readonly ProcessView[]> {
  const { processes } = await state.list({ onlyLive: true });
  return processes.flatMap(({ view }) => (view.label === name && !('endedAt' in view) ? [view] : []));
}

function nameTaken({ id, label, commandLine }: ProcessView, { env }: CliIo): TroupeError {
  const advice = `End it with ${toProgramName(env)} kill ${id}, or start this one in its place with --replace.`;
  const message = `The name "${label}" is taken by ${id}, which is alive: ${commandLine}. ${advice}`;
  return new TroupeError({ code: 'duplicate', message });
}

/** @throws TroupeError `duplicate` if a part of it survives. */
async function end(view: ProcessView, { state, io }: Pick<StartAlone, 'state' | 'io'>): Promise<void> {
  const answer = await state.kill(view.id, { by: 'user' });
  if (!isStopped(answer))
    throw new TroupeError({
      code: 'duplicate',
      message: `${answer.message} Nothing was started in its place.`,
    });
  printNote(io, `${toProcessName(view)} is ended, and replaced`);
}

async function untilListed(id: string, state: StateDirectory): Promise<void> {
  const clock = createRealClock();
  const untilMs = clock.nowMs() + LISTED_WITHIN_MS;
  while (clock.nowMs() < untilMs) {
    const { processes } = await state.list();
    if (processes.some(({ view }) => view.id === id)) return;
    await pause(clock, { ms: LOOK_MS });
  }
}
