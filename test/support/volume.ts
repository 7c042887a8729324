/** True in the long form: `npm run soak:volume`, which CI also runs, and `npm run soak:remote`. */
export const isLong: boolean = process.env['TROUPE_LONG_RUNS'] !== undefined;

/**
 * Returns the number of repetitions: `short` in `npm test`, enough for a fault that shows each time; `long` in the long form, for faults
 * that show rarely.
 */
export const volume = (short: number, long: number): number => (isLong ? long : short);
