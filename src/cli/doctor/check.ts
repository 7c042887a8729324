/** What a look at one thing has shown. `warn`: something is missing that not everybody needs; `fail`: troupe cannot work so. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was seen. */
  readonly says: string;
  /** What to do; `null` where there is nothing to be done. */
  readonly advice: string | null;
}

/** The machine as the checks see it. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly nodeVersion: string;
  /** The path of a program on the PATH, or `null`. */
  find(program: string): string | null;
  canRead(path: string): boolean;
  /** How many files this program may have open; `null` where that is unlimited or not known. */
  readonly openFiles: number | null;
  readonly stateDirectory: string;
  /** `null` where it is not there; `writable` says whether it could be made, too. */
  lookAt(directory: string): { readonly mode: number; readonly isOwn: boolean } | null;
  canWrite(directory: string): boolean;
  /** What tmux calls itself, such as `tmux 3.4`; `null` where it cannot be run. */
  tmuxVersion(): string | null;
  /** Why no terminal can be made without tmux; `null` where it can. */
  ptyProblem(): Promise<string | null>;
  /** What the sandbox package lacks; `null` where the package itself is not installed. */
  sandboxErrors(): Promise<readonly string[] | null>;
  /** Pids of the supervisors that are alive there, with what they are. */
  supervisors(): Promise<readonly { readonly pid: number; readonly role: 'program' | 'daemon' }[]>;
}
