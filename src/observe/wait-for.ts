import { createRealClock } from '../clock/real-clock.ts';
import { parseOptions } from '../config/parse-options.ts';
import { type WaitOptions, type WaitSettings, waitOptions } from '../config/wait-options.ts';
import type { StreamPositions } from '../output/output-chunk.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import { awaitConditions, type WaitEnd } from './wait/await-conditions.ts';
import { createConditions } from './wait/create-conditions.ts';
import { exitCondition } from './wait/view-conditions.ts';
import type { ConditionName } from './wait/wait-condition.ts';

export type { WaitOptions } from '../config/wait-options.ts';
export type { WaitEnd } from './wait/await-conditions.ts';
export type { ConditionName } from './wait/wait-condition.ts';

/** How a wait ended, and what had come true by then. */
export interface Waited {
  readonly end: WaitEnd;
  /** The conditions that held, in the order in which they did. */
  readonly met: readonly ConditionName[];
  readonly missing: readonly ConditionName[];
  /** Why some of the missing could not come true, such as `port: …`; with `any` the others were waited for all the same. */
  readonly impossible: readonly string[];
  readonly waitedMs: number;
  /** The newest line with the text or that matches, where one was found. */
  readonly matchedLine: string | null;
  /** The process as it is now. */
  readonly process: ProcessView;
}

/**
 * Waits for something of one process, without polling on your side. What is true already ends it at once. The end of the process ends
 * it, too, once all of its output was searched, and so does what is impossible: of `all` one condition, of `any` each of them. It changes nothing: however the wait ends, the process goes on. It never rejects for what the process or the machine
 * does, and leaves nothing behind.
 *
 * @throws TroupeError `invalid-option`, as a rejection.
 *
 * @example
 * const waited = await waitFor(server, { port: 3000, text: 'EADDRINUSE', timeout: '30s' });
 * if (waited.end.type !== 'met') console.error(waited.end, waited.missing);
 */
export async function waitFor(handle: ProcessHandle, options: WaitOptions = {}): Promise<Waited> {
  const settings = parseOptions(waitOptions, { input: options, name: 'waitFor' });
  const { mode, timeout, clock = createRealClock(), signal = null } = settings;
  const problem = settings.pattern === undefined ? null : findPatternProblem(handle, settings.pattern);
  const last = exitCondition(handle);
  const from = findStart(handle, settings.from);
  const conditions = createConditions(settings, { handle, clock, from, exit: last });
  if (problem !== null) {
    const missing = conditions.map(({ name }) => name);
    const why = `pattern: ${problem}`;
    const nothing = { met: [], missing, impossible: [why], waitedMs: 0, matchedLine: null };
    return { ...nothing, end: { type: 'impossible', why }, process: handle.view() };
  }
  const timeoutMs = timeout ?? null;
  const result = await awaitConditions({ conditions, mode, last, timeoutMs, clock, interrupt: signal });
  const wanted = result.met.includes('pattern')
    ? { pattern: settings.pattern }
    : { text: result.met.includes('text') ? settings.text : undefined };
  return { ...result, matchedLine: findMatchedLine(handle, wanted), process: handle.view() };
}

function findStart(handle: ProcessHandle, from: WaitSettings['from']): StreamPositions | number {
  if (from === 'start') return 0;
  return from === 'now' ? handle.read({ tail: 0 }).positions : from;
}

/** In words what is wrong with an expression, before anybody waits for it. */
function findPatternProblem(handle: ProcessHandle, pattern: string): string | null {
  return handle.read({ since: handle.read({ tail: 0 }).positions, grep: pattern }).problem;
}

const MAX_LINE_BYTES = 500;

/** Where it is looked for first: a search through everything takes long. */
const NEAR_BYTES = 64 * 1024;

/**
 * The newest line with the text or the expression; `null` where none is kept. It is read again and not remembered by the search,
 * because a read hides secrets that only show once control characters are gone.
 */
function findMatchedLine(
  handle: ProcessHandle,
  { text, pattern }: { text?: string | undefined; pattern?: string | undefined },
): string | null {
  const grep = pattern ?? text?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (grep === undefined) return null;
  const { stdout, stderr, screen } = handle.read({ tail: 0 }).positions;
  const near = { stdout: toNear(stdout), stderr: toNear(stderr), screen: toNear(screen) };
  for (const since of [near, 0]) {
    const line = handle.read({ since, grep, tail: 1, maxBytes: MAX_LINE_BYTES }).text;
    if (line !== '') return line.trimEnd();
  }
  return null;
}

function toNear(position: number): number {
  return Math.max(0, position - NEAR_BYTES);
}
