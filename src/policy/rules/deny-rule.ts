import type { RuleName } from '../../config/policy-options.ts';
import type { SimpleCommand } from '../shell/simple-command.ts';

/** `maybe`: depends on something unknown before it runs. */
export type Finding = 'yes' | 'maybe' | 'no';

/** Rule against something that no command should do. Pure: it sees only words. */
export interface DenyRule {
  readonly name: RuleName;
  /** Subject of the rule, as in a sentence: "is …". */
  readonly what: string;
  /** Hint for the model: what to do instead. */
  readonly hint: string;
  finds(command: SimpleCommand, all: readonly SimpleCommand[]): Finding;
}
