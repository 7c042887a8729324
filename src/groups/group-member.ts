import { filter, firstValueFrom } from 'rxjs';
import { isFinal } from '../../machines/process/view.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { GroupMemberPlan } from './group-options.ts';
import type { GroupMemberView, MemberReadiness } from './process-group.ts';

type UpOrNot = { readonly up: true } | { readonly up: false; readonly why: string };

/** Process of a group with the progress of its start. */
export interface Member {
  readonly name: string;
  readonly plan: GroupMemberPlan;
  readonly handle: ProcessHandle | null;
  readonly state: GroupMemberView['state'];
  /** Resolves when it is ready, or will not be. */
  readonly start: Promise<MemberReadiness>;
  /** Resolves when it has ended for good, or will not be started. `ready` means that it ended with code 0. */
  readonly completion: Promise<MemberReadiness>;
  readonly end: FinalView | null;
  begin(handle: ProcessHandle): void;
  settle(result: UpOrNot): void;
  /** Notes that it has ended for good. */
  finish(end: FinalView): void;
  /** Notes that the supervisor refused the start. */
  refuse(why: string): void;
  /** Notes that no start is attempted. */
  skip(why: string): void;
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
    skip: (why) => refuse({ name, state: 'notStarted', why }),
    view: () => ({
      name,
      dependsOn: [...plan.dependsOn.keys()],
      state: state(),
      why: whyNot,
      process: handle?.view() ?? null,
    }),
  };
}

/**
 * Resolves when an attempt later than `afterAttempt` is ready, or will never be: the process ended for good, or its readiness failed.
 * Never rejects.
 */
export async function untilUp(handle: ProcessHandle, afterAttempt = 0): Promise<UpOrNot> {
  await firstValueFrom(
    handle.view$.pipe(filter((view) => hasEnded(view) || (isRunning(view) && view.attempt > afterAttempt))),
  );
  const ready = hasEnded(handle.view()) ? null : await handle.ready();
  const view = handle.view();
  if (hasEnded(view)) return { up: false, why: `it ${describeEnd(view.reason, view.exit)}` };
  return ready?.state === 'failed' ? { up: false, why: ready.why } : { up: true };
}

function hasEnded(view: ProcessView): view is Extract<ProcessView, { readonly endedAt: number }> {
  return isFinal(view.status);
}

export function isRunning({ status }: Pick<ProcessView, 'status'>): boolean {
  return status === 'running' || status === 'backgrounded';
}
