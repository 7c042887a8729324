import fc from 'fast-check';
import { expect } from 'vitest';
import type { Mailbox, ProcessHandle, Supervisor } from '../../src/index.ts';
import {
  createSupervisorModel,
  end,
  isLive,
  MAX_LIVE,
  MAX_RESTARTS,
  type ProcessModel,
  type SupervisorModel,
  startAgain,
} from './random-model.ts';

/** Real or scripted processes, for the same commands. */
export interface RandomWorld extends AsyncDisposable {
  readonly supervisor: Supervisor;
  readonly mailbox: Mailbox;
  readonly handles: ProcessHandle[];
  readonly command: readonly [string, ...string[]];
  /** The pause before a restart passes only when it is told to. */
  readonly holdsPauses: boolean;
  /** Lets the process exit with a code, or crash. */
  finish(handle: ProcessHandle, how: number | 'crash'): Promise<void> | void;
  /** Lets the time of limits and pauses pass. */
  pass(): void;
  /** Text that the process has received. */
  received(handle: ProcessHandle): string;
  /** Number of processes that run, as the operating system or the script sees it. */
  countUp(): number;
  /** Resolves as soon as the condition holds. */
  until(condition: () => boolean, what: string): Promise<void>;
}

type Command = fc.AsyncCommand<SupervisorModel, RandomWorld>;
type Step = (model: SupervisorModel, world: RandomWorld) => Promise<void> | void;

/** Runs a program of random commands, and shrinks it to the shortest one that contradicts the model. */
export async function checkRandomPrograms(
  createWorld: () => RandomWorld,
  settings: { readonly runs: number; readonly length: number; readonly seed: number },
): Promise<void> {
  const program = fc.commands<SupervisorModel, RandomWorld, false>(commandArbitraries, {
    maxCommands: settings.length,
    size: 'max',
  });
  await fc.assert(
    fc.asyncProperty(program, async (commands) => {
      await using world = createWorld();
      await fc.asyncModelRun(() => ({ model: createSupervisorModel(), real: world }), commands);
    }),
    { numRuns: settings.runs, seed: settings.seed },
  );
}

/** Selects one of the processes that a command may concern. */
const which = fc.nat({ max: 5 });

const commandArbitraries: fc.Arbitrary<Command>[] = [
  ...(['temporary', 'transient', 'permanent'] as const).map((restart) =>
    fc.constant(
      command(
        () => `start(${restart})`,
        (model, world) => start(restart, model, world),
      ),
    ),
  ),
  concerning('exit 3', 'running', (...step) => finish(3, ...step)),
  concerning('exit 0', 'running', (...step) => finish(0, ...step)),
  concerning('crash', 'running', (...step) => finish('crash', ...step)),
  concerning('write a', 'all', (process, _, world) => write('a', process, world)),
  concerning('write bc', 'all', (process, _, world) => write('bc', process, world)),
  concerning('kill', 'all', kill),
  concerning('timeout', 'running', timeOut),
  concerning('restart', 'running', restartByHand),
  ...[1, 2].map(() => fc.constant(command(() => 'pause', passPauses))),
  concerning('poll', 'all', () => {}),
  fc
    .boolean()
    .map((confirms) => command(() => `notice ${confirms ? 'confirmed' : 'lost'}`, takeNotice(confirms))),
];

function command(toName: () => string, run: Step, check: Command['check'] = () => true): Command {
  return {
    check,
    toString: toName,
    run: async (model, world) => {
      await run(model, world);
      await compare(model, world);
    },
  };
}

/** Creates commands for one process each, all or only running ones; the name says which one it was. */
function concerning(
  name: string,
  kind: 'all' | 'running',
  run: (process: ProcessModel, model: SupervisorModel, world: RandomWorld) => Promise<void> | void,
): fc.Arbitrary<Command> {
  const select = ({ processes }: SupervisorModel) =>
    processes.filter(({ status }) => kind === 'all' || status === 'backgrounded');
  return which.map((at) => {
    let chosen: number | null = null;
    return command(
      () => `${name} #${chosen}`,
      (model, world) => {
        const candidates = select(model);
        const process = candidates[at % candidates.length] as ProcessModel;
        chosen = process.number;
        return run(process, model, world);
      },
      (model) => select(model).length > 0,
    );
  });
}

function start(restart: ProcessModel['restart'], model: SupervisorModel, world: RandomWorld): void {
  const backoff = world.holdsPauses ? 1_000 : 10;
  const begin = () =>
    world.supervisor.start({
      command: world.command,
      background: true,
      stdin: 'pipe',
      notifyAfterSilence: 0,
      restart: {
        ...{ policy: restart, maxRestarts: MAX_RESTARTS, within: '1h', healthyAfter: '1h' },
        ...{ minBackoff: backoff, maxBackoff: backoff },
      },
    });
  if (model.processes.filter(isLive).length >= MAX_LIVE) {
    expect(begin, 'a start beyond the limit').toThrow(expect.objectContaining({ code: 'background-limit' }));
    return;
  }
  world.handles.push(begin());
  const number = model.processes.length;
  model.processes.push({ number, restart, status: 'backgrounded', attempts: 1, restarts: 0, received: '' });
}

async function finish(
  how: number | 'crash',
  process: ProcessModel,
  model: SupervisorModel,
  world: RandomWorld,
): Promise<void> {
  await world.finish(handleOf(process, world), how);
  end(model, process, how === 0 ? 'completed' : 'failed');
  if (process.status === 'restarting' && !world.holdsPauses) startAgain(process);
}

async function write(text: string, process: ProcessModel, world: RandomWorld): Promise<void> {
  const { ok } = await handleOf(process, world).write(`${text}\n`);
  expect(ok, 'only a running process takes input').toBe(process.status === 'backgrounded');
  if (ok) process.received += `${text}\n`;
}

async function kill(process: ProcessModel, model: SupervisorModel, world: RandomWorld): Promise<void> {
  const wasLive = isLive(process);
  await handleOf(process, world).kill();
  if (wasLive) end(model, process, 'killed');
}

async function timeOut(process: ProcessModel, model: SupervisorModel, world: RandomWorld): Promise<void> {
  expect(handleOf(process, world).changeLimits({ maxBackgroundTime: 1 })).toBe(true);
  // Time passes for all: pauses end as well.
  passPauses(model, world);
  end(model, process, 'timed_out');
}

function restartByHand(process: ProcessModel, _: SupervisorModel, world: RandomWorld): void {
  expect(handleOf(process, world).restart()).toBe(true);
  startAgain(process);
}

function passPauses(model: SupervisorModel, world: RandomWorld): void {
  world.pass();
  for (const process of model.processes) if (process.status === 'restarting') startAgain(process);
}

function takeNotice(confirms: boolean): Step {
  return async ({ unconfirmed, processes }, { mailbox, handles, until }) => {
    const expected = [...unconfirmed].map((number) => {
      const { attempts } = processes[number] as ProcessModel;
      return `${handles[number]?.id}/${attempts}/ended`;
    });
    const ids = () => (mailbox.take()?.ids ?? []).toSorted();
    await until(() => ids().length === expected.length, `a notice of ${expected.length} ends`);
    expect(ids(), 'each end is told until it is confirmed').toEqual(expected.toSorted());
    if (!confirms) return;
    mailbox.delivered(ids());
    unconfirmed.clear();
  };
}

function handleOf({ number }: ProcessModel, { handles }: RandomWorld): ProcessHandle {
  return handles[number] as ProcessHandle;
}

/** Compares all processes with the model: what the supervisor says of them, and what runs. */
async function compare({ processes }: SupervisorModel, world: RandomWorld): Promise<void> {
  const actual = () =>
    world.handles.map((handle) => {
      const { status, attempt } = handle.view();
      return `${status}, attempt ${attempt}`;
    });
  const expected = processes.map(({ status, attempts }) => `${status}, attempt ${attempts}`);
  const isEqual = () => actual().join() === expected.join();
  const running = processes.filter(({ status }) => status === 'backgrounded').length;
  await world.until(isEqual, 'statuses').catch(() => {});
  expect(actual()).toEqual(expected);
  await world.until(() => world.countUp() === running, `${running} processes run, not ${world.countUp()}`);
  for (const process of processes) {
    const received = () => world.received(handleOf(process, world));
    await world.until(
      () => received() === process.received,
      `${process.number} received ${JSON.stringify(process.received)}`,
    );
  }
}
