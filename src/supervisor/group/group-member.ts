import type { ProcessHandle } from '../../process/process-handle.ts';
import type { FinalView } from '../../process/process-view.ts';
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
  end: FinalView | null;
  begin(handle: ProcessHandle): void;
  settle(result: UpOrNot): void;
  /** The supervisor would not start it. */
  refuse(why: string): void;
  /** It is not even tried. */
  leaveOut(why: string): void;
  view(): GroupMemberView;
}

export function createMember(name: string, plan: GroupMemberPlan): Member {
  const start = Promise.withResolvers<MemberReadiness>();
  let handle: ProcessHandle | null = null;
  let whyNot: string | null = null;

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
    end: null,
    begin: (started) => {
      handle = started;
    },
    settle: (result) => {
      start.resolve(result.up ? { name, state: 'ready' } : { name, state: 'failed', why: result.why });
    },
    refuse: (why) => {
      whyNot = why;
      start.resolve({ name, state: 'failed', why });
    },
    leaveOut: (why) => {
      whyNot = why;
      start.resolve({ name, state: 'notStarted', why });
    },
    view: () => ({
      name,
      dependsOn: plan.dependsOn,
      state: state(),
      why: whyNot,
      process: handle?.view() ?? null,
    }),
  };
}
