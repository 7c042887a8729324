import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate';
import { getStateNodes } from 'xstate/graph';
import { createSupervisor } from '../../supervisor/create-supervisor.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { createScriptedBackend, type ScriptedBackend, type ScriptedRun } from '../scripted-backend.ts';
import { settle } from '../settle.ts';
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts';
import { createChartCoverage } from './chart-coverage.ts';
import { describePath, generatePaths, type PathStep } from './generate-paths.ts';

/** Surroundings of one path: a supervisor whose processes are scripts and whose time stands still. */
export interface MachineWorld {
  readonly supervisor: Supervisor;
  readonly backend: ScriptedBackend;
  readonly clock: VirtualClock;
  /**
   * Returns the newest run of the process that the machine has invoked or spawned as `actorId` with `processLogic`. Without an id:
   * the newest run that is up.
   *
   * @throws Error without such a run.
   */
  runOf(actorId?: string): ScriptedRun;
}

/** Options of `testMachine`. */
export interface MachineTestOptions<Machine extends AnyStateMachine = AnyStateMachine> {
  /**
   * Events with each payload that makes a difference, also those that actors send: `xstate.done.actor.<id>`, `xstate.error.actor.<id>`.
   * Timers (`after`) need not be listed.
   */
  readonly events: readonly (EventObject & { readonly output?: unknown; readonly error?: unknown })[];
  /**
   * Makes an event happen in the world, by its type: ends the run whose end the machine hears, or prints what makes it ready. Events
   * without an entry are sent to the machine; timers with a number of milliseconds advance the clock.
   */
  readonly drive?: Readonly<Record<string, (world: MachineWorld, event: never) => unknown>>;
  /** Assertions by state, as in `matches`: `'serving.up'`. Each runs whenever a step of a path leads to a snapshot in that state. */
  readonly states?: Readonly<
    Record<string, (world: MachineWorld, snapshot: SnapshotFrom<Machine>) => unknown>
  >;
  /** Returns the input of the machine. Default: none. */
  readonly input?: (world: MachineWorld) => InputFrom<Machine>;
  /** Snapshots with the same key are one state. Add the context that guards read, if it is finite. Default: the state value. */
  readonly toKey?: (snapshot: SnapshotFrom<Machine>) => string;
  /** Treatment of states and transitions that no path covers. `report`: they are only in the report. Default `throw`. */
  readonly onMissed?: 'throw' | 'report';
}

/** A state or transition that no path covered. */
export interface MissedPart {
  /** Id of the state, or `<id of the source> · <event> · <index among alternatives>`. */
  readonly id: string;
  readonly why: string;
}

/** Report of `testMachine`. */
export interface MachineTestReport {
  /** The events of each path, as text. */
  readonly paths: readonly string[];
  readonly states: { readonly covered: readonly string[]; readonly missed: readonly MissedPart[] };
  readonly transitions: { readonly covered: readonly string[]; readonly missed: readonly MissedPart[] };
}

/**
 * Walks a machine of yours along generated paths that take each listed event in each reachable state. Its processes run on the scripted
 * backend and all time is virtual, also that of `after`. Each path has a machine and a supervisor of its own; after each step the
 * snapshot is compared with the one that the chart alone predicts.
 *
 * `machine` is a function of the world where actors need its supervisor: `({ supervisor }) => createMachine(processLogic(supervisor))`.
 *
 * @throws Error where the machine leaves the path or an assertion fails, with the path; where states or transitions are missed; for
 * unknown names in `events`, `drive` and `states`; and where there is no path.
 */
export async function testMachine<Machine extends AnyStateMachine>(
  machine: Machine | ((world: MachineWorld) => Machine),
  options: MachineTestOptions<Machine>,
): Promise<MachineTestReport> {
  const create = typeof machine === 'function' ? machine : () => machine;
  const plan = createWorld();
  const chart = create(plan.world);
  const events = [...options.events, ...timersOf(chart)];
  checkNames(chart, { events, drive: options.drive, states: options.states });
  const toKey = options.toKey ?? (({ value }: AnyMachineSnapshot) => JSON.stringify(value));
  const paths = generatePaths<Machine>(chart, {
    input: options.input?.(plan.world) as InputFrom<Machine>,
    events: events as never,
    toKey,
  });
  await plan.close();
  if (paths.length === 0)
    throw new Error(
      `testMachine: there is no path through "${chart.id}": its first state reacts to none of the ${events.length} events.`,
    );
  const coverage = createChartCoverage(chart);
  for (const path of paths) await walk(path, { create, options, toKey, inspect: coverage.inspect });

  const missedStates = coverage.states.missing.map((id) => ({ id, why: 'no path leads to it' }));
  const missedTransitions = coverage.transitions.missing.map((id) => ({
    id,
    why: explainMiss(id, { events, reached: coverage.states.walked }),
  }));
  const missed = [...missedStates, ...missedTransitions];
  if (missed.length > 0 && options.onMissed !== 'report')
    throw new Error(
      `testMachine: ${missed.length} parts of "${chart.id}" are not covered:\n${missed.map(({ id, why }) => `  ${id}: ${why}`).join('\n')}`,
    );
  return {
    paths: paths.map(describePath),
    states: { covered: [...coverage.states.walked], missed: missedStates },
    transitions: { covered: [...coverage.transitions.walked], missed: missedTransitions },
  };
}

interface Walk<Machine extends AnyStateMachine> {
  readonly create: (world: MachineWorld) => Machine;
  readonly options: MachineTestOptions<Machine>;
  readonly toKey: (snapshot: SnapshotFrom<Machine>) => string;
  readonly inspect: ReturnType<typeof createChartCoverage>['inspect'];
}

async function walk<Machine extends AnyStateMachine>(
  path: readonly PathStep<Machine>[],
  { create, options, toKey, inspect }: Walk<Machine>,
): Promise<void> {
  const { world, close, setChildren } = createWorld();
  const { clock } = world;
  const input = options.input?.(world);
  const actor = createActor(create(world) as AnyStateMachine, { input, inspect, clock: toTimers(clock) });
  setChildren(() => actor.getSnapshot().children);
  actor.start();
  try {
    await settle(clock);
    for (const [index, { event, state }] of path.entries()) {
      const at = () => describePath(path.slice(0, index + 1));
      try {
        await cause(event, { world, drive: options.drive, send: () => actor.send(event) });
        await settle(clock);
        await assertStates(actor.getSnapshot() as SnapshotFrom<Machine>, { world, states: options.states });
      } catch (cause) {
        throw new Error(`testMachine: ${toMessage(cause)}\nPath: ${at()}`, { cause });
      }
      const actual = toKey(actor.getSnapshot() as SnapshotFrom<Machine>);
      if (actual !== toKey(state))
        throw new Error(
          `testMachine: the machine is in ${actual}, and its chart predicts ${toKey(state)}.\nPath: ${at()}`,
        );
    }
  } finally {
    actor.stop();
    await settle(clock);
    await close();
  }
}

function cause(
  event: EventObject,
  {
    world,
    drive = {},
    send,
  }: { world: MachineWorld; drive: MachineTestOptions<AnyStateMachine>['drive']; send: () => void },
): unknown {
  const act = Object.hasOwn(drive, event.type) ? drive[event.type] : undefined;
  if (act !== undefined) return act(world, event as never);
  const delayMs = timerDelay(event.type);
  return delayMs === null ? send() : world.clock.advance(delayMs);
}

async function assertStates<Machine extends AnyStateMachine>(
  snapshot: SnapshotFrom<Machine>,
  { world, states = {} }: { world: MachineWorld; states: MachineTestOptions<Machine>['states'] },
): Promise<void> {
  for (const [name, assert] of Object.entries(states)) {
    if ((snapshot as AnyMachineSnapshot)._nodes.some(({ path }) => path.join('.') === name))
      await assert(world, snapshot);
  }
}

function createWorld() {
  const clock = createVirtualClock();
  const backend = createScriptedBackend();
  const supervisor = createSupervisor({ stateDirectory: false, clock, backend });
  let children: () => Record<string, unknown> = () => ({});
  const runOf = (actorId?: string): ScriptedRun => {
    const child = actorId === undefined ? null : (children()[actorId] as ProcessChild | undefined);
    const id = child?.getSnapshot().process?.id;
    const run = backend.runs.findLast(({ request, isUp }) => (child === null ? isUp : request.id === id));
    if (run !== undefined) return run;
    throw new Error(actorId === undefined ? 'No run is up.' : `No process runs for the actor "${actorId}".`);
  };
  const world: MachineWorld = { supervisor, backend, clock, runOf };
  return {
    world,
    setChildren: (read: typeof children) => {
      children = read;
    },
    close: async () => {
      const done = supervisor.shutdown();
      // Processes that do not obey are killed, then given up: both take time.
      clock.advance(60_000);
      await done;
    },
  };
}

interface ProcessChild {
  getSnapshot(): { readonly process?: { readonly id: string } | null };
}

function toTimers(clock: VirtualClock) {
  return {
    setTimeout: (callback: () => void, ms: number) => clock.at(clock.nowMs() + ms, callback),
    clearTimeout: (cancel?: () => void) => cancel?.(),
  };
}

interface Names {
  readonly events: readonly EventObject[];
  readonly drive: Readonly<Record<string, unknown>> | undefined;
  readonly states: Readonly<Record<string, unknown>> | undefined;
}

function checkNames(chart: AnyStateMachine, { events, drive = {}, states = {} }: Names): void {
  const heard = eventTypesOf(chart);
  const isHeard = (type: string) =>
    heard.some((name) => (name.endsWith('*') ? type.startsWith(name.slice(0, -1)) : name === type));
  for (const { type } of events) {
    if (!isHeard(type)) throw unknown(`events: "${type}"`, heard);
    if (type.startsWith('xstate.') && timerDelay(type) === null && !Object.hasOwn(drive, type))
      throw new Error(
        `testMachine: "${type}" comes from an actor and cannot be sent. Add drive["${type}"], which makes it happen.`,
      );
  }
  for (const type of Object.keys(drive)) {
    if (!events.some((event) => event.type === type))
      throw unknown(`drive: "${type}"`, [...new Set(events.map((event) => event.type))], 'in events');
  }
  const names = nodesOf(chart).map(({ path }) => path.join('.'));
  for (const name of Object.keys(states)) {
    if (!names.includes(name)) throw unknown(`states: "${name}"`, names.filter(Boolean), 'a state');
  }
}

function unknown(what: string, known: readonly string[], expected = 'an event of the machine'): Error {
  return new Error(`testMachine: ${what} is not ${expected}. Known: ${known.join(', ')}.`);
}

function nodesOf(chart: AnyStateMachine) {
  return [chart.root, ...getStateNodes(chart.root)];
}

function eventTypesOf(chart: AnyStateMachine): readonly string[] {
  return [...new Set(nodesOf(chart).flatMap((node) => [...node.transitions.keys()]))].filter(Boolean);
}

/** Returns the timers of the chart, as events that need no payload. */
function timersOf(chart: AnyStateMachine): readonly EventObject[] {
  return eventTypesOf(chart)
    .filter((type) => timerDelay(type) !== null)
    .map((type) => ({ type }));
}

function timerDelay(type: string): number | null {
  const [, delay] = /^xstate\.after\.(\d+)\./.exec(type) ?? [];
  return delay === undefined ? null : Number(delay);
}

function explainMiss(
  id: string,
  { events, reached }: { events: readonly EventObject[]; reached: ReadonlySet<string> },
): string {
  const [source = '', type = ''] = id.split(' · ');
  if (!reached.has(source)) return 'no path leads to its source';
  if (type === 'always' || type.startsWith('xstate.done.state.')) return 'its guard holds on no path';
  const isListed = events.some((event) =>
    type.endsWith('*') ? event.type.startsWith(type.slice(0, -1)) : event.type === type,
  );
  return isListed ? 'another transition takes each listed payload of its event' : `events has no "${type}"`;
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
