import { createContext, Script } from 'node:vm';

interface GrepOptions {
  /** A JavaScript regular expression, tried on each line. */
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  /** Lines shown before and after each match; 0 by default. */
  readonly context?: number;
  /** By the index of a line: where in it a match may begin, so that `^` and what looks back see what stands before. Default 0. */
  readonly begins?: ReadonlyMap<number, number>;
}

/** Lines that match with their surroundings; `--` stands between groups that are apart. */
export type GrepResult =
  | { readonly type: 'matches'; readonly lines: readonly string[]; readonly matches: number }
  | { readonly type: 'problem'; readonly problem: string };

/** An expression that backtracks without end holds the program for so much computing, once. */
const searchTimeoutMs = 100;
/** So much of it used up is all of it: what is left would hardly be enough to begin again. */
const usedUpMs = 90;

/**
 * JavaScript's own expressions take exponential time for patterns like `(a+)+$`; the timeout of `node:vm` interrupts them, which
 * nothing else on this thread can.
 */
export function grepLines(lines: readonly string[], options: GrepOptions): GrepResult {
  const expression = toExpression(options);
  if (typeof expression === 'string') return { type: 'problem', problem: expression };
  const { begins = new Map() } = options;
  const found = search(lines, { expression, pattern: quote(options.pattern), begins });
  if (typeof found === 'string') return { type: 'problem', problem: found };
  const context = Math.max(0, Math.floor(options.context ?? 0));
  return { type: 'matches', lines: withContext(lines, { found, context }), matches: found.length };
}

/** The expression, or in words what is wrong with it. */
function toExpression({ pattern, ignoreCase }: GrepOptions): RegExp | string {
  try {
    return new RegExp(pattern, ignoreCase === true ? 'gi' : 'g');
  } catch (error) {
    return `the pattern ${quote(pattern)} is not a regular expression: ${toReason(error as Error)}`;
  }
}

const longestQuote = 200;

function quote(pattern: string): string {
  return JSON.stringify(pattern.length > longestQuote ? `${pattern.slice(0, longestQuote)}…` : pattern);
}

/** V8 repeats the whole pattern before the reason. */
function toReason({ message }: Error): string {
  return message.slice(message.lastIndexOf(': ') + 1).trim();
}

/** The indices of the lines that match, or in words why they could not be searched. */
function search(
  lines: readonly string[],
  {
    expression,
    pattern,
    begins,
  }: { expression: RegExp; pattern: string; begins: ReadonlyMap<number, number> },
): number[] | string {
  // A context costs a millisecond, and polls mostly find nothing new.
  if (lines.length === 0) return [];
  const found: number[] = [];
  let index = 0;
  const run = (): void => {
    for (; index < lines.length; index += 1) {
      expression.lastIndex = begins.get(index) ?? 0;
      // A line in which it was interrupted is tried again, and counts once.
      if (expression.test(lines[index] ?? '') && found.at(-1) !== index) found.push(index);
    }
  };
  try {
    if (runInTime(run)) return found;
    return `the pattern ${pattern} takes too long on this output: make it simpler, for example without nested repetition`;
  } catch (error) {
    // Expressions are compiled only at their first use: one that is too large fails here, and so does one that nests too deep.
    const { name } = error as Error;
    if (name === 'SyntaxError' || name === 'RangeError') {
      return `the pattern ${pattern} cannot be searched for: ${toReason(error as Error)}`;
    }
    throw error;
  }
}

/**
 * Whether it came to its end. The clock that interrupts it is that on the wall: where others had the machine meanwhile, it goes on with
 * the time that it has not used.
 */
function runInTime(run: () => void): boolean {
  const script = new Script('run()');
  const context = createContext({ run });
  const beganMs = threadCpuMs();
  for (let usedMs = 0; usedMs < usedUpMs; usedMs = threadCpuMs() - beganMs) {
    try {
      script.runInContext(context, { timeout: Math.ceil(searchTimeoutMs - usedMs) });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
  }
  return false;
}

function withContext(
  lines: readonly string[],
  { found, context }: { found: number[]; context: number },
): string[] {
  if (context === 0) return found.map((index) => lines[index] ?? '');
  const shown: string[] = [];
  let next = 0;
  for (const index of found) {
    const from = Math.max(next, index - context);
    if (from > next && shown.length > 0 && context > 0) shown.push('--');
    const to = Math.min(lines.length, index + context + 1);
    shown.push(...lines.slice(Math.max(from, next), Math.max(to, next)));
    next = Math.max(next, to);
  }
  return shown;
}

/** How long this thread has computed, in milliseconds: on a busy machine far less than passes on the wall. */
export function threadCpuMs(): number {
  // Before Node 22.19 only that of all threads is known.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
