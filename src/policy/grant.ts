/** What a person may allow once and for all: calls that are alike, as text that can be shown before they are allowed. */
export interface Grant {
  /** A command pattern such as `git status *`, or a sentence about a tool that runs no command. */
  readonly pattern: string;
  /** Calls with the same key are the same to the person. Holds the directory, which the pattern does not. */
  readonly key: string;
}

/** What one agent has been granted with "always". Lives as long as its conversation, or its MCP client; kept nowhere. */
export interface Grants {
  /** `false` for `null`: a call that no grant can describe is asked for each time. */
  cover(needed: readonly Grant[] | null): boolean;
  /** From now on these are covered. Calls of the same agent that wait for an answer are looked at again. */
  add(granted: readonly Grant[]): void;
  /** Calls `listener` after each `add`. @returns what ends that. */
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
