import { statSync } from 'node:fs';

/** Working directory of an owner that persists between commands, as in a shell. */
export interface WorkingDirectory {
  /** Returns the directory of the next command. */
  enter(): EnteredDirectory;
  /** Changes the directory of the next commands. `path` is absolute. */
  move(path: string): void;
}

export interface EnteredDirectory {
  /** Absolute path. */
  readonly path: string;
  /** Sentence for the model if the last directory is gone; otherwise `null`. */
  readonly note: string | null;
}

/** Creates a directory that is `start` at first, and `start` again when it no longer exists. */
export function createWorkingDirectory(start: string): WorkingDirectory {
  let current = start;
  return {
    enter: () => {
      if (current === start || isDirectory(current)) return { path: current, note: null };
      return { path: start, note: `Shell cwd was reset to ${start}: ${current} does not exist any more.` };
    },
    move: (path) => {
      current = path;
    },
  };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
