import { statSync } from 'node:fs';

/** The directory of an owner for tools whose commands may change it, as `cd` does in a shell. */
export interface WorkingDirectory {
  /** Returns where a command would run now. */
  enter(): EnteredDirectory;
  /** Makes the next commands run in another directory, given by its absolute path. */
  move(path: string): void;
}

export interface EnteredDirectory {
  /** Absolute path. */
  readonly path: string;
  /** Sentence for the model where the directory of the last command is gone; otherwise `null`. */
  readonly note: string | null;
}

/** Creates the directory of an owner, which begins at `start` and returns there when it is gone. */
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
