/** What a chat writes on. */
export interface Screen {
  /** Adds rows that stay. `openRow` is the one under them that still changes: empty takes it away, left out leaves it. */
  show(change: { readonly rows?: readonly string[]; readonly openRow?: string }): void;
}

/** A screen that nobody types on, such as a file or a pipe: it keeps what is complete. */
export function createPlainScreen(output: NodeJS.WritableStream): Screen {
  return {
    show: ({ rows = [] }) => void output.write(rows.map((row) => `${row}\n`).join('')),
  };
}
