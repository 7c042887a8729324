import { distinctUntilChanged } from 'rxjs';
import type { Requester } from '../../machines/process/context.ts';
import type { CommandSpec, FunctionSpec } from '../config/process-spec.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { KillAnswer, ProcessHandle } from '../process/process-handle.ts';
import type { FinalView } from '../process/process-view.ts';
import { createMember, type Member, untilUp } from './group-member.ts';
import { type GroupMemberPlan, type GroupOptions, parseGroup } from './group-options.ts';
import { toGroupEnd, toGroupReadiness, toStopReport } from './group-reports.ts';
import type { GroupEnd, GroupReadiness, GroupStopReport, GroupView, ProcessGroup } from './process-group.ts';
import { createRestartRounds } from './restart-rounds.ts';
import { restartScope } from './restart-scope.ts';
import { startOrder } from './start-order.ts';

const maxNotes = 100;

/** Starts the processes of a group, as a `Supervisor` does. */
export interface GroupStarter {
  start(spec: CommandSpec | FunctionSpec): ProcessHandle;
}

/**
 * Starts processes that belong together, each as soon as its dependencies are ready or have completed; processes without dependencies are
 * started when this returns. When one gives up after too many restarts, its restart scope is stopped with it: nothing for `oneForOne`, all
 * for `oneForAll`, those after it for `restForOne`.
 *
 * @throws TroupeError `invalid-option`; nothing has been started.
 */
export function startGroup(supervisor: GroupStarter, options: GroupOptions): ProcessGroup {
  const { strategy, members: plans } = parseGroup(options);
  const order = startOrder(new Map([...plans].map(([name, { dependsOn }]) => [name, [...dependsOn.keys()]])));
  const members: ReadonlyMap<string, Member> = new Map(
    order.flatMap((name) => toEntry(name, plans.get(name))),
  );
  const notes: string[] = [];
  const get = (name: string): ProcessHandle | undefined => members.get(name)?.handle ?? undefined;
  /** Reasons by member for those that are neither started nor restarted any more. */
  const closed = new Map<string, string>();
  const getOpen = (name: string) => (closed.has(name) ? undefined : get(name));
  const rounds = createRestartRounds({
    strategy,
    order,
    get: getOpen,
    stopSignalOf: (name) => plans.get(name)?.stopSignal ?? null,
    note,
  });
  let stopping: Promise<GroupStopReport> | null = null;
  let hasEnded = false;

  function note(words: string): void {
    if (notes.length >= maxNotes) notes.shift();
    notes.push(words);
  }

  async function bringUp(member: Member): Promise<void> {
    const { name, plan } = member;
    // A member without dependencies starts in this turn.
    const obstacle = plan.dependsOn.size === 0 ? null : await findObstacle(member, members);
    const why = closed.get(name) ?? obstacle;
    if (why !== null) {
      note(`${name} is not started: ${why}`);
      return member.skip(`${name} is not started: ${why}`);
    }
    let handle: ProcessHandle;
    try {
      handle = supervisor.start(plan.spec);
    } catch (error) {
      return member.refuse(error instanceof Error ? error.message : String(error));
    }
    member.begin(handle);
    follow(member, handle);
    member.settle(await untilUp(handle));
  }

  function follow(member: Member, handle: ProcessHandle): void {
    const { name } = member;
    handle.status$.pipe(distinctUntilChanged()).subscribe((status) => {
      if (status === 'restarting' && !closed.has(name)) rounds.terminated(name);
    });
    void handle.ended.then((end) => {
      member.finish(end);
      if (hasGivenUp(member, end)) giveUp(member, end);
    });
  }

  function giveUp({ name }: Member, end: FinalView): void {
    const scope = restartScope(strategy, { order, terminated: name });
    const words = `${name} gave up after ${end.restarts} restarts: it ${describeEnd(end.reason, end.exit)}`;
    const open = scope.filter((each) => !closed.has(each));
    note(open.length === 0 ? words : `${words}; stopped with it: ${open.join(', ')}`);
    close([name, ...open], `${name} gave up`);
    void stopMembers(pick(open), 'supervisor');
  }

  function pick(names: readonly string[]): readonly Member[] {
    return [...members.values()].filter(({ name }) => names.includes(name));
  }

  function close(names: readonly string[], why: string): void {
    for (const name of names) if (!closed.has(name)) closed.set(name, why);
  }

  function stop(): Promise<GroupStopReport> {
    close(order, 'the group was stopped');
    stopping ??= stopMembers([...members.values()], 'user');
    return stopping;
  }

  function view(): GroupView {
    const all = [...members.values()];
    const up = all.some((member) => member.state === 'waiting') ? 'starting' : 'up';
    const state = hasEnded ? 'ended' : closed.size < order.length ? up : 'stopping';
    return { strategy, state, members: all.map((member) => member.view()), notes: [...notes] };
  }

  const starts = [...members.values()].map(({ plan, start, completion }) =>
    plan.isOneShot ? completion : start,
  );
  const ready: Promise<GroupReadiness> = Promise.all(starts).then(toGroupReadiness);
  const ended: Promise<GroupEnd> = ready.then(async () => {
    const ends = await findEnds([...members.values()]);
    hasEnded = true;
    return toGroupEnd(ends, notes);
  });
  for (const member of members.values()) void bringUp(member);

  return { names: order, get, ready: () => ready, stop, ended, view };
}

/**
 * Returns `true` if a restart policy gave up. A `temporary` process is never restarted, and a process that was killed or timed out was
 * ended on purpose.
 */
function hasGivenUp({ plan }: Member, end: FinalView): boolean {
  return plan.policy !== 'temporary' && (end.status === 'failed' || end.status === 'lost');
}

function toEntry(name: string, plan: GroupMemberPlan | undefined): readonly (readonly [string, Member])[] {
  return plan === undefined ? [] : [[name, createMember(name, plan)]];
}

/** Resolves to the dependency that prevents the start of a member, once that is known; `null` if there is none. */
async function findObstacle({ plan }: Member, members: ReadonlyMap<string, Member>): Promise<string | null> {
  const needed = [...plan.dependsOn].flatMap(([name, until]) => {
    const member = members.get(name);
    return member === undefined ? [] : [{ member, until }];
  });
  for (const { member, until } of needed) {
    const { state, ...more } = await (until === 'completed' ? member.completion : member.start);
    if (!('why' in more)) continue;
    if (state === 'notStarted') return more.why;
    const lacks = until === 'completed' ? 'did not complete' : 'is not ready';
    return `${member.name}, which it depends on, ${lacks}: ${more.why}`;
  }
  const ended = needed.find(({ member, until }) => until === 'ready' && member.end !== null)?.member;
  return ended === undefined ? null : `${ended.name}, which it depends on, has ended`;
}

function findEnds(members: readonly Member[]): Promise<GroupEnd['members']> {
  return Promise.all(members.map(async ({ name, handle }) => ({ name, end: (await handle?.ended) ?? null })));
}

/** Stops members one after the other, in reverse start order. */
async function stopMembers(members: readonly Member[], by: Requester): Promise<GroupStopReport> {
  const answers: { name: string; answer: KillAnswer }[] = [];
  for (const { name, handle, plan } of members.toReversed()) {
    if (handle === null) continue;
    const signal = plan.stopSignal !== null && { signal: plan.stopSignal };
    answers.push({ name, answer: await handle.kill({ by, ...signal }) });
  }
  return toStopReport(answers);
}
