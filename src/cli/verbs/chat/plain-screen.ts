/** The output of a chat. */
export interface Screen {
  /** Adds permanent rows. `openRow` replaces the unfinished row below them; an empty one removes it. */
  show(change: { readonly rows?: readonly string[]; readonly openRow?: string }): void;
}

/** Creates a screen on a file or a pipe, which keeps permanent rows only. */
export function createPlainScreen(output: NodeJS.WritableStream): Screen {
  return {
    show: ({ rows = [] }) => void output.write(rows.map((row) => `${row}\n`).join('')),
  };
}
