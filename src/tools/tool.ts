import type { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import type { CommandSpec, FunctionSpec } from '../config/process-spec.ts';
import type { Permission } from '../policy/permission.ts';
import type { StartRequest } from '../policy/policy.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** What a model is answered; never an exception. */
export type ToolAnswer = (
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false;
      readonly error: string;
      /** What is known beside the reason, such as what a command that failed has printed. Shown to the model. */
      readonly data?: unknown;
    }
) & {
  /**
   * Ids of the completions whose final state this answer shows. Once it is in the transcript no notice comes for them. Not
   * shown to the model.
   */
  readonly reveals?: readonly string[];
  /**
   * To be called once the answer is in the transcript, or was sent to whoever asked: what it showed of an output is read then,
   * and not before. Not shown to the model.
   */
  readonly onRecorded?: () => void;
  /**
   * With `ok: false`: the tool is in order. It did its work and what it ran has failed, or the call was denied or was wrong. Not shown to
   * the model; a tool that fails otherwise is closed for the rest of a turn after a few times.
   */
  readonly worked?: true;
};

/**
 * How notices reach an agent. `wake`: by themselves, as in a conversation. `next-answer`: with the answer of its next call, as in MCP. `none`:
 * not at all, as in the loop of another program.
 */
export type NoticeDelivery = 'wake' | 'next-answer' | 'none';

/** Whose tools they are: they see and touch the processes of this owner, and of the owners under it, only. */
export interface ToolContext {
  readonly supervisor: Supervisor;
  readonly owner: string;
  /**
   * Starts a command in the way the policy has prepared it, or a function of this program; the owner is filled in. Tools start
   * nothing in any other way. Rejects where nobody waits for any answer any more: then nothing is started.
   *
   * @throws TroupeError as `Supervisor.start` does.
   */
  start(spec: CommandSpec | FunctionSpec): Promise<ProcessHandle>;
  /** Aborted when nobody waits any more: a call that waits answers with how far it has come. It ends no process. */
  readonly interrupt: AbortSignal;
  /** What time-outs of tools follow. */
  readonly clock: Clock;
  /** How the agent learns of an end, a watch or a schedule: an answer promises no more than that. */
  readonly notices: NoticeDelivery;
}

/** What one call would do, known before it does anything. */
export interface ToolIntent {
  readonly permission: Permission;
  /** What it would run, where it runs something. */
  readonly start?: StartRequest;
  /** It is there to wait: the same call again is no sign of a model that has lost its way. */
  readonly waits?: boolean;
}

/** A call whose input is right. */
export interface PreparedCall {
  readonly ok: true;
  readonly intent: ToolIntent;
  /** Never rejects: what goes wrong is an answer. */
  run(context: ToolContext): Promise<ToolAnswer>;
}

/** One tool, in no provider's dialect. */
export interface Tool {
  readonly name: string;
  /** For people, where a host shows one. */
  readonly title?: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** Flat: no provider is trusted with nested arguments. */
  readonly input: z.ZodObject;
  /** The shape of `data` in its answers, good or not, for hosts that are told of it. Default: not told. */
  readonly output?: z.ZodObject;
  /** All that its calls may need. */
  readonly permissions: readonly Permission[];
  /** Checks the input and does nothing yet. */
  prepare(given: unknown): PreparedCall | { readonly ok: false; readonly error: string };
  /** Where calls differ in what they need: the same tool without the calls that are not allowed; `null` where none is left. */
  narrow?(isAllowed: (permission: Permission) => boolean): Tool | null;
}

export { toInputSchema } from './input-schema.ts';
