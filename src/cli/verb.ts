import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { CliIo } from './cli-io.ts';

/** The part of the program that a verb's definition uses. */
export interface VerbContext {
  /** The whole program, with this verb. */
  readonly program: Command;
  /** The program as it was called, for examples in help texts. */
  readonly name: string;
  readonly io: CliIo;
  /** Settings given as `--section.key=value`, which only the verbs that run an agent accept. */
  readonly overrides: readonly string[];
  /** Sets the exit code of the program. */
  readonly end: (exitCode: number) => void;
}

/** Gives a command its description, arguments, flags and action. The file of every verb exports one, as `define`. */
export type DefineVerb = (command: Command, context: VerbContext) => void;

/** The flags that a function adds to a command, as commander will parse them; switches are `boolean`. */
// biome-ignore lint/suspicious/noExplicitAny: commander's own bound for arguments
export type FlagsOf<AddFlags extends (command: Command) => Command<any, any>> = Widened<
  ReturnType<ReturnType<AddFlags>['opts']>
>;

type Widened<Flags> = {
  readonly [Name in keyof Flags]: [Flags[Name]] extends [true | undefined] ? boolean : Flags[Name];
};

/** The flag of every verb that uses a state directory. */
export const stateDirFlag = [
  '--state-dir <dir>',
  'where records and logs are kept (the nearest .troupe upwards)',
] as const;

/** The flags of every verb that reads a state directory. */
export interface StateFlags {
  readonly stateDir?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Adds `--state-dir`, and `--json` and `--quiet` where their help is given. */
export function addStateFlags<Args extends unknown[], Flags extends OptionValues>(
  command: Command<Args, Flags>,
  { json, quiet }: { readonly json?: string; readonly quiet?: string } = {},
): Command<Args, Flags & StateFlags> {
  if (json !== undefined) command.option('--json', json);
  if (quiet !== undefined) command.option('-q, --quiet', quiet);
  command.option(...stateDirFlag);
  return command as unknown as Command<Args, Flags & StateFlags>;
}

/** The help of an argument or flag that names a process. */
export const idHelp = 'its id, its label, or the beginning of either';

/** Adds `<id...>` and the flags of a verb that acts on each of the named processes and has no flags of its own. */
export function addProcessesFlags(command: Command) {
  return addStateFlags(command.argument('<id...>', idHelp), {
    json: 'print one JSON array',
    quiet: 'print only errors',
  });
}
