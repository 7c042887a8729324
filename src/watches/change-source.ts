/** Observes changes of what a process shows. */
export interface ChangeSource {
  /** Monotonic time of the last change, or of the beginning. */
  readonly changedAtMs: number;
  /** Counts as a change now. */
  beginAnew(): void;
  /** Reads the shown lines, without blank lines at the end, and calls back, perhaps before it returns. */
  look(onSeen: (lines: readonly string[]) => void): void;
  /** Calls back once, with the next change. */
  awaitChange(onChange: () => void): void;
  stop(): void;
}

export function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
