import { pause } from '../../clock/pause.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { openReachableSupervisor } from '../../control/reachable-supervisor.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import { ModelError } from '../../models/model-error.ts';
import type { AwaitedInput } from '../../process/process-view.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import type { SystemDeps } from '../../supervisor/system-deps.ts';
import { settle } from '../settle.ts';
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts';
import { type Recording, readRecording, toAttemptKey, toRequestKey } from './read-recording.ts';
import type { AttemptEntry } from './recording-entry.ts';
import { type Diverge, delayAt, describeTime, replayAttempt } from './replayed-attempt.ts';
import type { Stage } from './stage.ts';

/** Virtual time after the end of the recording in which a program must finish. */
const PATIENCE_MS = 60_000;

/** The result of a replay. */
export interface Replayed<Result> {
  /** Return value of the program. */
  readonly result: Result;
  /** Recorded attempts that were not started and recorded requests that were not sent, one sentence each. */
  readonly unplayed: readonly string[];
}

/**
 * Runs a program on a recording of `createRecorder`, in virtual time: its processes print and end as recorded, and its models reply as recorded,
 * without the operating system and the network. The same program sees the same views, notices and transcript, with the same ids.
 * The program's own steps take no time, so times, and durations that depend on the program, differ by milliseconds.
 *
 * The program's own effects are repeated, such as file access, its own tools, and pauses on other clocks. Open supervisors are shut down at
 * the end.
 *
 * @throws TroupeError `recording` if the file cannot be replayed, if the program differs from the recording, such as by starting another
 * command, or if it still waits one minute (virtual time) after the end of the recording. Errors of the program are passed on.
 *
 * @example
 * const { result } = await replay('checks.jsonl', (stage) => runAgent(stage));
 */
export async function replay<Result>(
  file: string,
  program: (stage: Stage) => Promise<Result>,
): Promise<Replayed<Result>> {
  const recording = readRecording(file);
  const clock = createVirtualClock({ epochMs: recording.epochMs });
  const divergence = createDivergence(recording);
  const { diverge } = divergence;
  const { system, unplayed } = replaySystem(recording, { clock, diverge });
  const unasked = new Set(recording.requests.keys());
  const supervisors: Supervisor[] = [];
  let models = 0;
  const stage: Stage = {
    clock,
    createSupervisor: (options) => {
      const supervisor = openReachableSupervisor({ ...options, clock }, { ask: null, system });
      supervisors.push(supervisor);
      return supervisor;
    },
    wrapModel: (model) => {
      models += 1;
      const name = typeof model === 'function' ? 'replayed' : model.name;
      return replayModel(recording, { number: models - 1, name, clock, diverge, unasked });
    },
  };

  const drive = <Value>(promise: Promise<Value>): Promise<Value> =>
    advanceUntil(promise, { clock, recording });
  try {
    const result = await drive(Promise.race([program(stage), divergence.promise]));
    return { result, unplayed: [...unplayed(), ...[...unasked].map(describeUnasked)] };
  } finally {
    // A shutdown that the recording does not cover is abandoned.
    await drive(Promise.all(supervisors.map((each) => each.shutdown()))).catch(() => {});
  }
}

function describeUnasked(key: string): string {
  const [model, request] = key.split('/').map((number) => Number(number) + 1);
  return `Model ${model} did not get request ${request}.`;
}

function createDivergence({ cutOff, file }: Recording) {
  let reject: (error: TroupeError) => void = () => {};
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  promise.catch(() => {});
  const diverge: Diverge = (what) => {
    const why =
      cutOff ?? 'The program differs from the one that was recorded: record again, or undo the difference.';
    reject(
      new TroupeError({
        code: 'recording',
        message: `${what}; this is not in the recording ${file}. ${why}`,
      }),
    );
  };
  return { promise, diverge };
}

/** Moves the clock from callback to callback until the promise settles. */
async function advanceUntil<Value>(
  promise: Promise<Value>,
  { clock, recording }: { readonly clock: VirtualClock; readonly recording: Recording },
): Promise<Value> {
  const endMs = Math.max(recording.durationMs, clock.nowMs()) + PATIENCE_MS;
  let isSettled = false;
  const note = () => {
    isSettled = true;
  };
  promise.then(note, note);
  for (;;) {
    await settle(clock);
    if (isSettled) return promise;
    const { nextAtMs } = clock;
    if (nextAtMs === null || nextAtMs > endMs) throw toStuck(recording, clock);
    clock.advance(Math.max(0, nextAtMs - clock.nowMs()));
  }
}

function toStuck({ file, cutOff }: Recording, clock: VirtualClock): TroupeError {
  const why =
    cutOff ?? 'It waits for something that was not recorded, or on another clock than that of the stage.';
  const message = `The program still waits at ${describeTime(clock)}, when nothing more happens in the recording ${file}. ${why}`;
  return new TroupeError({ code: 'recording', message });
}

function replaySystem(
  recording: Recording,
  { clock, diverge }: { readonly clock: VirtualClock; readonly diverge: Diverge },
): { readonly system: SystemDeps; unplayed(): readonly string[] } {
  const freeIds = new Set(recording.ids);
  const freePorts = new Set(recording.ports);
  const unplayed = new Map(recording.attempts);
  /** Current attempt of each process, with its delay relative to the recording. */
  const current = new Map<string, { readonly entries: readonly AttemptEntry[]; readonly delayMs: number }>();
  const findCurrent = (id: string) => current.get(id) ?? { entries: [], delayMs: 0 };
  const system: SystemDeps = {
    createId: (kind, of) => {
      const found = [...freeIds].find((entry) => entry.kind === kind && entry.of === of);
      if (found === undefined) {
        diverge(`A ${kind} was created after ${describeTime(clock)}: ${of}`);
        return `${kind}_unrecorded`;
      }
      freeIds.delete(found);
      return found.id;
    },
    createSeed: (id) => recording.seeds.get(id) ?? 0,
    runAttempt: (port) => {
      const { id, attempt } = port.request;
      const key = toAttemptKey(id, attempt);
      const entries = recording.attempts.get(key);
      if (entries === undefined) {
        diverge(`${id} began its attempt ${attempt} after ${describeTime(clock)}`);
        return undefined;
      }
      unplayed.delete(key);
      current.set(id, { entries, delayMs: delayAt(clock, entries[0]) });
      return replayAttempt(port, { entries, diverge });
    },
    watchReadiness: (id, { onReady, onFailed }) => {
      const { entries, delayMs } = findCurrent(id);
      const ready = entries.find((entry) => entry.type === 'ready');
      if (ready === undefined) return () => {};
      return clock.at(ready.at + delayMs, () => {
        if (ready.failed === null) onReady();
        else onFailed(ready.failed);
      });
    },
    watchInput: (id, { onChange }) => {
      const { entries, delayMs } = findCurrent(id);
      let current: AwaitedInput | null = null;
      const become = (awaited: AwaitedInput | null) => {
        if (awaited === null && current === null) return;
        current = awaited && { ...awaited, since: Math.round(clock.epochMs()) };
        onChange(current);
      };
      const cancels = entries
        .filter((entry) => entry.type === 'input')
        .map(({ at, awaited }) => clock.at(at + delayMs, () => become(awaited), { idle: true }));
      return {
        typed: () => become(null),
        look: async () => current,
        cancel: () => {
          for (const cancel of cancels) cancel();
          become(null);
        },
      };
    },
    findPorts: async (pids) => {
      const found = [...freePorts].find((entry) => entry.pids.join() === pids.join());
      if (found === undefined) return [];
      freePorts.delete(found);
      return found.ports;
    },
  };
  return {
    system,
    unplayed: () =>
      [...unplayed.values()].flatMap(([run]) =>
        run?.type === 'run'
          ? [`${run.process} (${run.commandLine}) did not begin attempt ${run.attempt}.`]
          : [],
      ),
  };
}

function replayModel(
  recording: Recording,
  model: { number: number; name: string; clock: VirtualClock; diverge: Diverge; unasked: Set<string> },
): ChatModel {
  const { number, name, clock, diverge, unasked } = model;
  let requests = 0;
  return {
    name,
    stream: async function* ({ signal }) {
      const key = toRequestKey(number, requests);
      const entries = recording.requests.get(key);
      requests += 1;
      unasked.delete(key);
      if (entries === undefined) {
        diverge(`Request ${requests} was sent to model ${number + 1} after ${describeTime(clock)}`);
        throw new ModelError({ failure: 'refused', message: 'The recording has no reply to this request.' });
      }
      const [begin, ...rest] = entries;
      const delayMs = delayAt(clock, begin);
      for (const entry of rest) {
        const ms = entry.at + delayMs - clock.nowMs();
        if (ms > 0) await pause(clock, { ms, signal });
        signal.throwIfAborted();
        if (entry.type === 'delta') yield entry.delta;
        if (entry.type === 'replied') return;
        if (entry.type === 'failed') throw toError(entry);
      }
      // The recorded program aborted the request at this point.
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      );
    },
  };
}

function toError({
  message,
  failure,
  retryAfterMs,
}: {
  readonly message: string;
  readonly failure: ModelError['failure'] | null;
  readonly retryAfterMs: number | null;
}): Error {
  return failure === null ? new Error(message) : new ModelError({ failure, message, retryAfterMs });
}
