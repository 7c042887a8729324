/** When it all happened. `…At` is milliseconds since the epoch, `…AtMs` monotonic. */
export interface ProcessTimes {
  createdAt: number;
  startedAt: number | null;
  startedAtMs: number | null;
  backgroundedAt: number | null;
  endedAt: number | null;
  endedAtMs: number | null;
}
