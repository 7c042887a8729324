import type { Command } from 'commander';

/** The flags that every verb about processes takes. */
export interface StateFlags {
  readonly stateDir?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `json` and `quiet` say what they do for this verb; one without words is not taken. */
export function addStateFlags(
  command: Command,
  { json, quiet }: { readonly json?: string; readonly quiet?: string },
): Command {
  if (json !== undefined) command.option('--json', json);
  if (quiet !== undefined) command.option('-q, --quiet', quiet);
  return command.option('--state-dir <dir>', 'where records are kept (the nearest .troupe upwards)');
}
