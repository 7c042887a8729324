import type { RuleName } from '../../config/policy-options.ts';
import type { SimpleCommand } from '../shell/simple-command.ts';

/** `maybe`: that depends on what cannot be told before it runs. */
export type Finding = 'yes' | 'maybe' | 'no';

/** One thing that no command should do. Pure: it looks at words only. */
export interface DenyRule {
  readonly name: RuleName;
  /** What it forbids, as it stands in a sentence: "is …". */
  readonly what: string;
  /** For the model: what to do instead. */
  readonly hint: string;
  finds(command: SimpleCommand, all: readonly SimpleCommand[]): Finding;
}
