import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { FinalView } from '../process/process-view.ts';
import type { GroupMemberPlan } from './group-options.ts';
import type { GroupMemberView, MemberReadiness } from './process-group.ts';
import type { UpOrNot } from './until-up.ts';

/** One process of a group, from the plan on. */
export interface Member {
  readonly name: string;
  readonly plan: GroupMemberPlan;
  readonly handle: ProcessHandle | null;
  readonly state: GroupMemberView['state'];
  /** Resolves when its start has come out one way or the other. */
  readonly start: Promise<MemberReadiness>;
  /** Resolves when it has ended for good, or will not be started. `ready` here means: with code 0. */
  readonly completion: Promise<MemberReadiness>;
  readonly end: FinalView | null;
  begin(handle: ProcessHandle): void;
  settle(result: UpOrNot): void;
  /** It has ended for good. */
  finish(end: FinalView): void;
  /** The supervisor would not start it. */
  refuse(why: string): void;
  /** It is not even tried. */
  leaveOut(why: string): void;
  view(): GroupMemberView;
}

export function createMember(name: string, plan: GroupMemberPlan): Member {
  const start = Promise.withResolvers<MemberReadiness>();
  const completion = Promise.withResolvers<MemberReadiness>();
  const refuse = (outcome: MemberReadiness & { readonly why: string }) => {
    whyNot = outcome.why;
    start.resolve(outcome);
    completion.resolve(outcome);
  };
  let handle: ProcessHandle | null = null;
  let whyNot: string | null = null;
  let end: FinalView | null = null;

  const state = (): Member['state'] => {
    if (handle !== null) return 'started';
    return whyNot === null ? 'waiting' : 'notStarted';
  };
  return {
    name,
    plan,
    get handle() {
      return handle;
    },
    get state() {
      return state();
    },
    start: start.promise,
    completion: completion.promise,
    get end() {
      return end;
    },
    begin: (started) => {
      handle = started;
    },
    settle: (result) => {
      start.resolve(result.up ? { name, state: 'ready' } : { name, state: 'failed', why: result.why });
    },
    finish: (final) => {
      end = final;
      const why = `it ${describeEnd(final.reason, final.exit)}`;
      completion.resolve(
        final.status === 'completed' ? { name, state: 'ready' } : { name, state: 'failed', why },
      );
    },
    refuse: (why) => refuse({ name, state: 'failed', why }),
    leaveOut: (why) => refuse({ name, state: 'notStarted', why }),
    view: () => ({
      name,
      dependsOn: [...plan.dependsOn.keys()],
      state: state(),
      why: whyNot,
      process: handle?.view() ?? null,
    }),
  };
}
