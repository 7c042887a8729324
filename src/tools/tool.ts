import type { Clock } from '../clock/clock.ts';
import type { CommandSpec, FunctionSpec } from '../config/process-spec.ts';
import type { Permission } from '../policy/permission.ts';
import type { StartRequest } from '../policy/policy.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { JsonSchema } from './standard-schema.ts';
import type { EnteredDirectory } from './working-directory.ts';

/** Answer to a model; never an exception. */
export type ToolAnswer = (
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false;
      readonly error: string;
      /** Data beside the reason, such as the output of a failed command. Shown to the model. */
      readonly data?: unknown;
    }
) & {
  /**
   * Ids of the completions whose final state this answer shows. Once it is in the transcript they cause no notice. Not
   * shown to the model.
   */
  readonly reveals?: readonly string[];
  /**
   * Called once the answer is in the transcript or was sent; only then does the output it shows count as read. Not
   * shown to the model.
   */
  readonly onRecorded?: () => void;
  /**
   * Set with `ok: false` if the tool itself worked: the command it ran has failed, or the call was denied or invalid. Not shown to
   * the model; a tool that fails otherwise several times is disabled for the rest of the turn.
   */
  readonly worked?: true;
  /** Set with `ok: false` if the policy or a person denied the call. Not shown to the model beside `error`. */
  readonly denied?: true;
};

/**
 * Delivery of notices to an agent. `wake`: on their own, as in a conversation, also while the agent is idle. `next-step`: before the next
 * request to the model, in this turn or at the beginning of the next. `next-answer`: with the answer of its next call, as in MCP.
 * `none`: not at all.
 */
export type NoticeDelivery = 'wake' | 'next-step' | 'next-answer' | 'none';

/** Context of a tool call. Tools see and control only the processes of this owner and its descendants. */
export interface ToolContext {
  readonly supervisor: Supervisor;
  readonly owner: string;
  /**
   * Starts a command as prepared by the policy, or a function of this program; fills in the owner. Tools start nothing
   * in any other way. Rejects, without starting anything, once no answer is needed any more.
   *
   * @throws TroupeError as `Supervisor.start` does.
   */
  start(spec: CommandSpec | FunctionSpec): Promise<ProcessHandle>;
  /** Aborted when the caller stops waiting: a waiting call answers with its progress so far. Ends no process. */
  readonly interrupt: AbortSignal;
  /** Clock for the time-outs of tools. */
  readonly clock: Clock;
  /** Determines what an answer may promise about notices of ends, watches and schedules. */
  readonly notices: NoticeDelivery;
  /** The owner's directory that the policy judged. Used by calls whose intent has `keepsDirectory`. */
  readonly directory: CallDirectory;
}

/** Directory in which a call runs its command, and from which it moves its owner. */
export interface CallDirectory extends EnteredDirectory {
  /**
   * Moves the owner to the directory in which the command ended. If it is gone, or the policy refuses commands there, the owner returns
   * to the supervisor's directory and the result is a sentence that says so; otherwise `null`.
   */
  follow(path: string): Promise<string | null>;
  /** Returns the directory of the owner's next command. */
  next(): string;
}

/** Effect of one call, known before it is executed. */
export interface ToolIntent {
  readonly permission: Permission;
  /** Command that it would run, if any. */
  readonly start?: StartRequest;
  /** Id of the process whose command it would run again; judged like `start`. */
  readonly restarts?: string;
  /** Without a `cwd`, the command runs in the owner's directory. Default: in the supervisor's directory. */
  readonly keepsDirectory?: boolean;
  /** The call only waits; repeating it is no sign of a looping model. */
  readonly waits?: boolean;
}

/** Call with valid input. */
export interface PreparedCall {
  readonly ok: true;
  readonly intent: ToolIntent;
  /** Never rejects: errors are answers. */
  run(context: ToolContext): Promise<ToolAnswer>;
}

/** Tool, independent of any provider's dialect. */
export interface Tool {
  readonly name: string;
  /** Title for people, where a host shows one. */
  readonly title?: string;
  /** Description for the model: what the tool does and when to use it. */
  readonly description: string;
  /** JSON Schema of the input, best flat: nested arguments are not reliable with every provider. */
  readonly inputSchema: JsonSchema;
  /** JSON Schema of `data` in its answers, successful or not, for hosts that publish it. Default: not published. */
  readonly outputSchema?: JsonSchema | undefined;
  /** The permissions that its calls may need. */
  readonly permissions: readonly Permission[];
  /** Validates the input without any effect. */
  prepare(given: unknown): PreparedCall | { readonly ok: false; readonly error: string };
  /**
   * Returns the tool without calls that are not allowed, for tools whose calls need different permissions; `null`
   * where none remains.
   */
  narrow?(isAllowed: (permission: Permission) => boolean): Tool | null;
  /** Returns the tool with a description that says how notices reach this agent, for tools whose description depends on it. */
  forNotices?(notices: NoticeDelivery): Tool;
}

export { toInputSchema } from './input-schema.ts';
