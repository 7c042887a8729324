import { DEPTH_VARIABLE, parseDepth } from '../config/depth.ts';
import { quote } from '../config/quote.ts';

/** At this depth no agent is started any more, unless told otherwise. */
export const DEFAULT_MAX_DEPTH = 5;

/** What a process is told of the limit, as it is told of the depth by `TROUPE_DEPTH`. */
export const MAX_DEPTH_VARIABLE = 'TROUPE_MAX_DEPTH';

/** Whether an agent may be started at this depth. The one rule, within one program and across programs. */
export function canStartAgent(depth: number, maxDepth: number): boolean {
  return depth < maxDepth;
}

export function describeRefusedDepth(maxDepth: number): string {
  return (
    `Maximum delegation depth (${maxDepth}) reached: no agent is started here. ` +
    'Do the work yourself, or answer with what is known so far.'
  );
}

type ParsedDepth =
  /** `maxDepth` is left out where nobody has said it. */
  | { readonly ok: true; readonly depth: number; readonly maxDepth?: number }
  | { readonly ok: false; readonly error: string };

/**
 * The depth of an agent that is started here, and its limit: `--depth` and `TROUPE_DEPTH`, of which the larger counts;
 * `--max-depth` and `TROUPE_MAX_DEPTH`, of which the smaller counts. In code a number stands for the flag.
 */
export function readDepth(given: {
  readonly depth?: string | number | undefined;
  readonly maxDepth?: string | number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}): ParsedDepth {
  const depths = [
    toWhole(given.depth, { name: '--depth', option: 'depth', least: 0 }),
    toWhole(given.env[DEPTH_VARIABLE], { name: DEPTH_VARIABLE, least: 0 }),
  ];
  const limits = [
    toWhole(given.maxDepth, { name: '--max-depth', option: 'maxDepth', least: 1 }),
    toWhole(given.env[MAX_DEPTH_VARIABLE], { name: MAX_DEPTH_VARIABLE, least: 1 }),
  ];
  for (const each of [...depths, ...limits]) if (typeof each === 'string') return { ok: false, error: each };
  const isNumber = (each: number | string | undefined) => typeof each === 'number';
  const knownLimits = limits.filter(isNumber);
  return {
    ok: true,
    depth: Math.max(0, ...depths.filter(isNumber)),
    ...(knownLimits.length > 0 && { maxDepth: Math.min(...knownLimits) }),
  };
}

/** `undefined` where nothing was said, and text where it is no whole number. */
function toWhole(
  given: string | number | undefined,
  { name, option = name, least }: { name: string; option?: string; least: number },
): number | string | undefined {
  if (given === undefined) return undefined;
  const number = parseDepth(String(given));
  if (number !== null && number >= least) return number;
  const what = typeof given === 'number' ? `${quote(option)} is ${given}` : `${name} is ${quote(given)}`;
  return `${what}; expected a whole number from ${least}.`;
}
