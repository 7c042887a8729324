import type { CommandSpec } from '../../config/process-spec.ts';

/** What every start of a command has. */
export interface CommandRequest {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly label?: string | undefined;
  /** The tool on whose behalf. */
  readonly tool: string;
  readonly lifetime?: CommandSpec['lifetime'] | undefined;
  /** How long it may run, in ms, also while somebody waits for it; then it is ended. Default: as the supervisor has it. */
  readonly maxRunMs?: number | undefined;
}

export function toCommandSpec({
  command,
  cwd,
  label,
  tool,
  lifetime,
  maxRunMs,
}: CommandRequest): CommandSpec {
  return {
    command,
    tool,
    ...(cwd !== undefined && { cwd }),
    ...(label !== undefined && { label }),
    ...(lifetime !== undefined && { lifetime }),
    ...(maxRunMs !== undefined && { maxExecutionTime: maxRunMs, maxBackgroundTime: maxRunMs }),
  };
}
