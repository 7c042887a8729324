import { pause } from '../clock/pause.ts';
import { LONG, QUICK } from '../control/protocol.ts';
import type { FinalView } from '../process/process-view.ts';
import type { ConditionName, Waited } from '../process/waited.ts';
import {
  createAsk,
  type DirectoryDeps,
  findEnd,
  type ProcessLocation,
  type Recorded,
} from './directory-deps.ts';
import { readRecorded } from './recorded-log.ts';
import type { WaitOrder } from './state-directory.ts';

/** Interval for detecting an unreported end. */
const LOOK_MS = 100;

/** Waits for the end of a process, across supervisors. */
export async function waitProcess(
  deps: DirectoryDeps,
  { id, signal }: { id: string; signal: AbortSignal | undefined },
): Promise<FinalView> {
  while (true) {
    signal?.throwIfAborted();
    const found = await deps.find(id);
    // A process waiting for its restart does not end by itself.
    if (found.type === 'recorded' && mayRestart(found) && (await deps.revive(found))) continue;
    const end = await (found.type === 'supervised'
      ? askForEnd(deps, { id, found, signal })
      : findEnd(deps, found));
    if (end !== null) return end;
    await pause(deps.clock, { ms: LOOK_MS, signal });
  }
}

function mayRestart({ record }: Recorded): boolean {
  return record.revival !== null && record.revival.restart.policy !== 'temporary';
}

/** Returns `null` when the supervisor ended first. */
async function askForEnd(
  deps: DirectoryDeps,
  call: {
    id: string;
    found: Extract<ProcessLocation, { type: 'supervised' }>;
    signal: AbortSignal | undefined;
  },
): Promise<FinalView | null> {
  const { id, found, signal } = call;
  try {
    return await deps.peers.ask(found.peer, { method: 'wait', params: { id } }, { ...LONG, signal });
  } catch (error) {
    if (await deps.hasPeerEnded(error, found.peer)) return null;
    throw error;
  }
}

const MAX_LINE_CHARACTERS = 500;

interface Wait {
  readonly id: string;
  readonly order: WaitOrder;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits for conditions of a process, across supervisors: a condition that was met stays met, and `now` is the time of
 * the call. Without a supervisor or daemon only the end and the log can be seen.
 */
export async function waitForProcess(deps: DirectoryDeps, wait: Wait): Promise<Waited> {
  const startMs = deps.clock.nowMs();
  const order = await resolveStart(deps, wait);
  const names = toNames(order);
  const isSplit = order.mode === 'all' && names.length > 1;
  const waited = isSplit
    ? await waitForEachAlone(deps, { ...wait, order, names })
    : await waitForOne(deps, { ...wait, order });
  return { ...waited, waitedMs: Math.round(deps.clock.nowMs() - startMs) };
}

type WaitOutcome = Omit<Waited, 'waitedMs'>;

/** Resolves `now` to positions; a supervisor that adopts the process would take it for its own time. */
async function resolveStart(deps: DirectoryDeps, { id, order, signal }: Wait): Promise<WaitOrder> {
  const { from, text, pattern } = order;
  if (from !== 'now' || (text ?? pattern) === undefined) return order;
  const readOptions = { tail: 0 };
  const { positions } = await createAsk(deps)(
    { id, method: 'read', params: { id, options: readOptions } },
    { options: { ...QUICK, signal }, orElse: (it) => readRecorded(deps, { it, readOptions }) },
  );
  return { ...order, from: positions };
}

/** Waits for each condition separately, because a supervisor that ends loses its progress on the others. */
async function waitForEachAlone(
  deps: DirectoryDeps,
  { id, order, names, signal }: Wait & { readonly names: readonly ConditionName[] },
): Promise<WaitOutcome> {
  const over = new AbortController();
  const given = signal === undefined ? [over.signal] : [over.signal, signal];
  const impossible = Promise.withResolvers<void>();
  const answers: WaitOutcome[] = [];
  const waitFor = async (name: ConditionName) => {
    const alone = { [name]: order[name], from: order.from } as WaitOrder;
    const answer = await waitForOne(deps, { id, order: alone, signal: AbortSignal.any(given) });
    answers.push(answer);
    if (answer.end.type === 'impossible') impossible.resolve();
  };
  try {
    await Promise.race([impossible.promise, Promise.all(names.map(waitFor))]);
    return combine(answers, names);
  } finally {
    over.abort();
  }
}

/** Combines `answers`, which are in order of arrival. */
function combine(answers: readonly WaitOutcome[], names: readonly ConditionName[]): WaitOutcome {
  const met = answers.flatMap((answer) => answer.met);
  const lineOf = (name: ConditionName) => answers.find((answer) => answer.met.includes(name))?.matchedLine;
  const last = answers.at(-1) as WaitOutcome;
  const failed =
    answers.find(({ end }) => end.type === 'impossible') ?? answers.find(({ end }) => end.type !== 'met');
  return {
    end: failed?.end ?? { type: 'met' },
    met,
    missing: names.filter((name) => !met.includes(name)),
    impossible: answers.flatMap((answer) => answer.impossible),
    matchedLine: lineOf('pattern') ?? lineOf('text') ?? null,
    process: last.process,
  };
}

async function waitForOne(deps: DirectoryDeps, { id, order, signal }: Wait): Promise<WaitOutcome> {
  while (true) {
    signal?.throwIfAborted();
    const found = await deps.find(id);
    if (found.type === 'supervised') {
      try {
        return await deps.peers.ask(
          found.peer,
          { method: 'waitFor', params: { id, options: order } },
          { ...LONG, signal },
        );
      } catch (error) {
        if (!(await deps.hasPeerEnded(error, found.peer))) throw error;
      }
    } else {
      if (await deps.revive(found)) continue;
      const end = await findEnd(deps, found);
      if (end !== null) return toEndedOutcome(deps, { it: found, order, end });
    }
    await pause(deps.clock, { ms: LOOK_MS, signal });
  }
}

async function toEndedOutcome(
  deps: DirectoryDeps,
  { it, order, end }: { it: Recorded; order: WaitOrder; end: FinalView },
): Promise<WaitOutcome> {
  const wanted = toNames(order);
  const matchedLine = await findLine(deps, { it, order });
  const isMet = (name: ConditionName) =>
    name === 'exit' || ((name === 'text' || name === 'pattern') && matchedLine !== null);
  const met = wanted.filter(isMet);
  const missing = wanted.filter((name) => !isMet(name));
  const isEnough = order.mode === 'all' ? missing.length === 0 : met.length > 0;
  return {
    end: { type: isEnough ? 'met' : 'ended' },
    met,
    missing,
    impossible: [],
    matchedLine,
    process: end,
  };
}

/** Order in which a supervisor reports conditions that already hold. */
const inOrder: readonly ConditionName[] = [
  ...(['text', 'pattern', 'ready', 'quiet', 'port', 'portFree', 'http', 'file', 'input', 'exit'] as const),
];

function toNames(order: WaitOrder): readonly ConditionName[] {
  const names = inOrder.filter((name) => order[name] !== undefined && order[name] !== false);
  return names.length === 0 ? ['exit'] : names;
}

/**
 * Finds the newest matching line. A search covers part of a log at a time, and its last line says that there is more.
 */
async function findLine(
  deps: DirectoryDeps,
  { it, order: { text, pattern, from = 'start' } }: { it: Recorded; order: WaitOrder },
): Promise<string | null> {
  const grep = pattern ?? text?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (grep === undefined || from === 'now') return null;
  let since = from === 'start' ? 0 : from;
  let found: string | null = null;
  while (true) {
    const read = await readRecorded(deps, { it, readOptions: { grep, tail: 1, since } });
    const lines = read.text.split('\n').slice(0, read.ended ? -1 : -2);
    found = lines.at(-1)?.slice(0, MAX_LINE_CHARACTERS) ?? found;
    if (read.ended || read.to === read.from) return found;
    since = read.positions;
  }
}
