import { createContext, Script } from 'node:vm';

interface GrepOptions {
  /** A JavaScript regular expression, tried on each line. */
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  /** Lines shown before and after each match; default 0. */
  readonly context?: number;
  /**
   * Maps the index of a line to the position where a match may begin, so that `^` and lookbehind see the text
   * before it. Default 0.
   */
  readonly begins?: ReadonlyMap<number, number>;
}

/** Matching lines with their context; `--` separates groups. */
export type GrepResult =
  | { readonly type: 'matches'; readonly lines: readonly string[]; readonly matches: number }
  | { readonly type: 'problem'; readonly problem: string };

/** CPU time granted to one search, which bounds expressions that backtrack forever. */
const searchTimeoutMs = 100;
/** Time after which the rest is too short to resume the search. */
const usedUpMs = 90;

/**
 * Searches lines within a time box. JavaScript regular expressions take exponential time for patterns like
 * `(a+)+$`; only the timeout of `node:vm` can interrupt them on this thread.
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

/** Returns the expression, or a sentence about what is wrong with it. */
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

/** Cuts off the pattern that V8 repeats before the reason. */
function toReason({ message }: Error): string {
  return message.slice(message.lastIndexOf(': ') + 1).trim();
}

/** Returns the indices of the matching lines, or a sentence why they could not be searched. */
function search(
  lines: readonly string[],
  {
    expression,
    pattern,
    begins,
  }: { expression: RegExp; pattern: string; begins: ReadonlyMap<number, number> },
): number[] | string {
  // Creating a context takes a millisecond, and most polls find nothing new.
  if (lines.length === 0) return [];
  const found: number[] = [];
  let index = 0;
  const run = (): void => {
    for (; index < lines.length; index += 1) {
      expression.lastIndex = begins.get(index) ?? 0;
      // An interrupted line is tried again and counts once.
      if (expression.test(lines[index] ?? '') && found.at(-1) !== index) found.push(index);
    }
  };
  try {
    if (runInTime(run)) return found;
    return `the pattern ${pattern} takes too long on this output: make it simpler, for example without nested repetition`;
  } catch (error) {
    // Expressions are compiled at their first use: one that is too large or nested too deeply fails here.
    const { name } = error as Error;
    if (name === 'SyntaxError' || name === 'RangeError') {
      return `the pattern ${pattern} cannot be searched for: ${toReason(error as Error)}`;
    }
    throw error;
  }
}

/**
 * Runs a function within the time box; false if it was interrupted for good. The interrupt follows the wall
 * clock: if other programs used the CPU meanwhile, the search resumes with its unused time.
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

/** Returns the CPU time of this thread in milliseconds, which is far below wall time on a busy machine. */
export function threadCpuMs(): number {
  // Before Node 22.19, only the time of all threads is available.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
