import { DEPTH_VARIABLE, parseDepth } from '../config/depth-variable.ts';
import { quote } from '../config/quote.ts';

/** Default depth at which no more agents are started. */
export const DEFAULT_MAX_DEPTH = 5;

/** Environment variable with the maximum depth, as `TROUPE_DEPTH` holds the depth. */
export const MAX_DEPTH_VARIABLE = 'TROUPE_MAX_DEPTH';

/** Tells whether an agent may be started at this depth, within one program and across programs. */
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
  /** `maxDepth` is absent where it was not given. */
  | { readonly ok: true; readonly depth: number; readonly maxDepth?: number }
  | { readonly ok: false; readonly error: string };

/**
 * Reads the depth of an agent and its limit: the larger of `--depth` and `TROUPE_DEPTH`, and the smaller of
 * `--max-depth` and `TROUPE_MAX_DEPTH`. In code a number stands for the flag.
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

/** Returns `undefined` where no value was given, and the text where it is no whole number. */
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
