import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import { type ResourceLimits, resourceLimits } from '../config/resource-limits.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** The options by their words in `--limit`; sizes may have a unit. */
const words = {
  memory: { option: 'memoryBytes', isSize: true },
  processes: { option: 'processes', isSize: false },
  cpus: { option: 'cpus', isSize: false },
  'open-files': { option: 'openFiles', isSize: false },
  'file-size': { option: 'fileBytes', isSize: true },
  nice: { option: 'nice', isSize: false },
  'oom-score-adj': { option: 'oomScoreAdj', isSize: false },
} as const satisfies Record<string, { readonly option: keyof ResourceLimits; readonly isSize: boolean }>;

const unitBytes: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** Help for `--limit`. */
export const limitHelp = `
Limits for --limit; one that this machine cannot keep is refused:
  memory=512M         its memory; K, M, G and T are powers of 1024
  processes=50        processes and threads, by its cgroup
  cpus=0.5            processors, by its cgroup
  open-files=100      open files of each process
  file-size=1G        size of a file that it writes
  nice=5              its niceness
  oom-score-adj=500   the highest is killed first when memory runs out`;

/**
 * Parses the values of `--limit`, each `NAME=VALUE`; `undefined` without any.
 *
 * @throws TroupeError `invalid-option`
 */
export function parseResourceLimits(texts: readonly string[] = []): ResourceLimits | undefined {
  if (texts.length === 0) return undefined;
  const limits: Partial<Record<keyof ResourceLimits, number>> = {};
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
    const word = Object.hasOwn(words, name) ? words[name as keyof typeof words] : null;
    if (word === null) throw invalid(text, describeNames(name));
    const { option, isSize } = word;
    if (option in limits) throw invalid(text, `${name} once`);
    const number = toNumber(value, isSize);
    const problem = resourceLimits.safeParse({ [option]: number }).error?.issues[0]?.message;
    if (problem !== undefined)
      throw invalid(
        text,
        isSize
          ? `${name} as a size such as 512M, in bytes at least ${minima[option]}`
          : `${name}: ${problem}`,
      );
    limits[option] = number;
  }
  return limits;
}

const minima: Readonly<Partial<Record<keyof ResourceLimits, string>>> = {
  memoryBytes: '1M',
  fileBytes: '512',
};

function toNumber(value: string, isSize: boolean): number {
  const [, digits, unit = ''] =
    (isSize ? /^(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?$/i : /^(-?\d+(?:\.\d+)?)$/).exec(value) ?? [];
  if (digits === undefined) return Number.NaN;
  return isSize ? Math.round(Number(digits) * (unitBytes[unit.toUpperCase()] ?? 1)) : Number(digits);
}

function describeNames(name: string): string {
  const close = nearest(name, Object.keys(words));
  return close === null ? `NAME=VALUE with ${Object.keys(words).join(', ')}` : `${close}=VALUE`;
}

function invalid(text: string, expected: string): TroupeError {
  return new TroupeError({
    code: 'invalid-option',
    message: `--limit is ${quote(text)}; expected ${expected}.`,
  });
}
