import type { PolicyOptions, PolicySettings } from '../config/policy-options.ts';
import type { Grant } from './grant.ts';
import type { Permission } from './permission.ts';

/** Command to start: shell text, or a program with its arguments. */
export interface StartRequest {
  readonly command: string | readonly string[];
  /** Absolute, or relative to the workspace. Default: the workspace. */
  readonly cwd?: string;
  /** Folders outside the workspace that the command may write to in a sandbox. They change no verdict. Default: none. */
  readonly writable?: readonly string[];
  /** `false`: wants to run outside the sandbox, which is a question where the policy has one. Default: inside. */
  readonly sandbox?: false;
}

/** Tool call before it has any effect. */
export interface PolicyRequest {
  readonly tool: string;
  readonly permission: Permission;
  /** Command that it would run, if any. */
  readonly start?: StartRequest;
}

export type Verdict =
  | { readonly type: 'allow' }
  /**
   * A person decides. `question` says what would happen, `reason` why a person is asked, and `always` what the person
   * may allow permanently: `null` where the policy cannot tell what the call does, or where calls of its kind differ
   * too much.
   */
  | {
      readonly type: 'ask';
      readonly question: string;
      readonly reason: string;
      readonly always: readonly Grant[] | null;
      /** The rule that asks, or `restrictToWorkspace`; absent where the mode or a doubt asks. */
      readonly rule?: string;
    }
  /** `reason` says what was refused and by which rule; `hint` what to do instead. */
  | {
      readonly type: 'deny';
      readonly reason: string;
      readonly hint: string;
      /** The rule that denies, or `commands.deny`, or `restrictToWorkspace`; absent where the mode or a filter denies. */
      readonly rule?: string;
    };

/** Command as it is started, and how it is confined to its workspace. */
export interface PreparedStart {
  readonly command: string | readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** `check`: its paths were checked before the start. `sandbox`: the operating system confines it. */
  readonly heldBy: 'nothing' | 'check' | 'sandbox';
  /** Releases the resources of the sandbox. Call it once, after the process has ended or if it was not started. */
  ended(): void;
}

/** Decides about calls before anything starts. Stateless apart from its settings: equal requests get equal verdicts. */
export interface Policy {
  /** The innermost of `layers`; its `askTimeout` is the shortest of all. */
  readonly settings: PolicySettings;
  /** The layers that apply, outermost first; more than one after `narrow`. */
  readonly layers: readonly PolicySettings[];
  /** Tells whether a model is offered this tool at all. */
  offers(tool: { readonly name: string; readonly permissions: readonly Permission[] }): boolean;
  /** Returns `false` where every call of that tool with that permission would be denied. */
  allows(tool: string, permission: Permission): boolean;
  /** Never rejects: a command that cannot be inspected is asked about. */
  decide(request: PolicyRequest): Promise<Verdict>;
  /**
   * Prepares a start that was allowed.
   *
   * @throws TroupeError `sandbox-unavailable` where a required sandbox is unavailable, or the sandbox fails with the command.
   */
  prepare(start: StartRequest): Promise<PreparedStart>;
  /**
   * Combines this policy with another: both must agree, a denial wins over a question and a question over consent.
   * Omitted options have their defaults, except the workspace, which stays the same.
   *
   * @throws TroupeError `invalid-option`
   */
  narrow(options: PolicyOptions): Policy;
  /**
   * Releases the sandbox. One with a list of domains keeps the program alive until then; commands that still run in it
   * lose the network. Other policies do not need it.
   */
  close(): Promise<void>;
}
