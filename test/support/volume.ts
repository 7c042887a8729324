/** True in `npm run soak:volume`, which CI runs, too. */
export const isLong: boolean = process.env['TROUPE_LONG_RUNS'] !== undefined;

/**
 * Returns how often a test repeats what it does: `short` in `npm test`, where a law that is broken each time is found as well, and `long`
 * where one that is broken rarely has to be found.
 */
export const volume = (short: number, long: number): number => (isLong ? long : short);
