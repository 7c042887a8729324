import type { PolicyOptions, PolicySettings } from '../config/policy-options.ts';
import type { Grant } from './grant.ts';
import type { Permission } from './permission.ts';

/** A command that somebody wants to start: text for the shell, or a program and its arguments. */
export interface StartRequest {
  readonly command: string | readonly string[];
  /** Absolute, or relative to the workspace. Default: the workspace. */
  readonly cwd?: string;
}

/** One call of a tool, before anything of it has happened. */
export interface PolicyRequest {
  readonly tool: string;
  readonly permission: Permission;
  /** What it would run, where it runs something. */
  readonly start?: StartRequest;
}

export type Verdict =
  | { readonly type: 'allow' }
  /**
   * A person decides. `question` says what would happen, `reason` why a person is asked, and `always` what the person may allow from
   * now on: `null` where the policy cannot tell what the call does, or where calls of its kind have too little in common.
   */
  | {
      readonly type: 'ask';
      readonly question: string;
      readonly reason: string;
      readonly always: readonly Grant[] | null;
    }
  /** `reason` says what was refused and by which rule; `hint`, what to do instead. */
  | { readonly type: 'deny'; readonly reason: string; readonly hint: string };

/** A command as it is really started, and what holds it inside its workspace. */
export interface PreparedStart {
  readonly command: string | readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** `check`: its paths were looked at before the start. `sandbox`: the operating system holds it. */
  readonly heldBy: 'nothing' | 'check' | 'sandbox';
}

/** Decides about calls before anything starts. Holds no state but its settings: the same request gets the same verdict. */
export interface Policy {
  /** The innermost of `layers`; its `askTimeout` is the shortest of all. */
  readonly settings: PolicySettings;
  /** All that hold at once, the outermost first; more than one after `narrow`. */
  readonly layers: readonly PolicySettings[];
  /** Whether a model is told of this tool at all. */
  offers(tool: { readonly name: string; readonly permissions: readonly Permission[] }): boolean;
  /** `false` where every call of that tool with that permission would be denied. */
  allows(tool: string, permission: Permission): boolean;
  /** Never rejects: where a command cannot be looked at, a person is asked. */
  decide(request: PolicyRequest): Promise<Verdict>;
  /** Call it with what was allowed. @throws TroupeError `sandbox-unavailable` where a required sandbox cannot be had. */
  prepare(start: StartRequest): Promise<PreparedStart>;
  /**
   * This policy and the other one at once: both must agree, a denial wins over a question and a question over consent. What is left
   * out of the options is as it is by default, but for the workspace, which is the same.
   *
   * @throws TroupeError `invalid-option`
   */
  narrow(options: PolicyOptions): Policy;
  /**
   * Lets go of the sandbox, which otherwise keeps the program alive once something was prepared for it; commands that still run in
   * it lose the network. A policy without a sandbox needs none.
   */
  close(): Promise<void>;
}
