import { createRealClock } from '../clock/real-clock.ts';
import { toWaitSignal } from '../config/abort-signal.ts';
import { parseOptions } from '../config/parse-options.ts';
import { type WaitOptions, type WaitSettings, waitOptions } from '../config/wait-options.ts';
import type { StreamPositions } from '../output/output-chunk.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { Waited } from '../process/waited.ts';
import { awaitConditions } from './wait/await-conditions.ts';
import { createConditions } from './wait/create-conditions.ts';
import { exitCondition } from './wait/view-conditions.ts';

/**
 * Waits for conditions of one process, without polling by the caller. A condition that holds already ends the
 * wait at once. So does the end of the process, once all of its output was searched, and impossibility: of
 * one condition with `all`, of each with `any`. The process is not affected, however the wait ends, unless an abort
 * kills it (`onAbort`). Never rejects for what the process or the machine does, and leaves nothing behind.
 *
 * @throws TroupeError `invalid-option`, as a rejection.
 *
 * @example
 * const waited = await waitFor(server, { port: 3000, text: 'EADDRINUSE', timeout: '30s' });
 * if (waited.end.type !== 'met') console.error(waited.end, waited.missing);
 */
export async function waitFor(handle: ProcessHandle, options: WaitOptions = {}): Promise<Waited> {
  const settings = parseOptions(waitOptions, { input: options, name: 'waitFor' });
  const { mode, timeout, clock = createRealClock() } = settings;
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
  const { signal: interrupt = null, release } = toWaitSignal(settings, () => handle.kill({ by: 'owner' }));
  const result = await awaitConditions({ conditions, mode, last, timeoutMs, clock, interrupt });
  release();
  const wanted = result.met.includes('pattern')
    ? { pattern: settings.pattern }
    : { text: result.met.includes('text') ? settings.text : undefined };
  return { ...result, matchedLine: findMatchedLine(handle, wanted), process: handle.view() };
}

function findStart(handle: ProcessHandle, from: WaitSettings['from']): StreamPositions | number {
  if (from === 'start') return 0;
  return from === 'now' ? handle.read({ tail: 0 }).positions : from;
}

/** Returns a sentence about what is wrong with an expression, before the wait begins. */
function findPatternProblem(handle: ProcessHandle, pattern: string): string | null {
  return handle.read({ since: handle.read({ tail: 0 }).positions, grep: pattern }).problem;
}

const MAX_LINE_BYTES = 500;

/** Searched first, because searching all output takes long. */
const NEAR_BYTES = 64 * 1024;

/**
 * Finds the newest line that contains the text or matches the expression; `null` if none is kept. Reads the
 * output again, because only a read hides secrets that show once control characters are removed.
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
