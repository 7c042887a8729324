/** Numbers that look random and are the same for the same seed (mulberry32). */
export interface Chance {
  /** A whole number from 0 to `limit - 1`; 0 where there is no room. */
  below(limit: number): number;
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return {
    below: (limit) => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
    },
  };
}
