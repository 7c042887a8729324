/** Permanent permission for similar calls, as text that can be shown before it is granted. */
export interface Grant {
  /** A command pattern such as `git status *`, or a sentence about a tool that runs no command. */
  readonly pattern: string;
  /** Calls with equal keys are equivalent to the person. Includes the directory, which the pattern does not. */
  readonly key: string;
}

/**
 * Permissions granted to one agent with `'always'`. They live as long as its conversation or MCP client and are not
 * persisted.
 */
export interface Grants {
  /** Returns `false` for `null`: a call that no grant can describe is asked about each time. */
  cover(needed: readonly Grant[] | null): boolean;
  /** Adds grants. Pending calls of the same agent are checked again. */
  add(granted: readonly Grant[]): void;
  /**
   * Calls `listener` after each `add`.
   *
   * @returns a function that stops this.
   */
  onAdded(listener: () => void): () => void;
}

export function createGrants(): Grants {
  const keys = new Set<string>();
  const listeners = new Set<() => void>();
  return {
    cover: (needed) => needed?.every(({ key }) => keys.has(key)) ?? false,
    add: (granted) => {
      for (const { key } of granted) keys.add(key);
      for (const listener of [...listeners]) listener();
    },
    onAdded: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
