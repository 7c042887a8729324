/** The flags of `troupe exec` as they stand on the command line. */
export interface ExecFlags {
  readonly task?: string;
  readonly context?: string;
  readonly depth?: string;
  readonly maxDepth?: string;
  readonly output: 'text' | 'json';
  readonly timeout?: string;
  readonly background?: 'wait' | 'kill';
  readonly wait?: string;
}
