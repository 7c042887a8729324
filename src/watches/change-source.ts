/** Notices when what a process shows is not what it was. */
export interface ChangeSource {
  /** `nowMs` of the last change, or of the beginning. */
  readonly changedAtMs: number;
  /** From here it counts as if something had changed. */
  beginAnew(): void;
  /** Looks now, and calls back with what is shown, without blank lines at the end; perhaps before it returns. */
  look(onSeen: (lines: readonly string[]) => void): void;
  /** Calls back once, with the next change. */
  awaitChange(onChange: () => void): void;
  stop(): void;
}

export function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
