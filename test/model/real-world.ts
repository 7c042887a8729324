import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExitStatus } from '../../machines/process/context.ts';
import { toStatus } from '../../machines/process/view.ts';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { createFileBackend } from '../../src/spawn/file/file-backend.ts';
import { readStatus } from '../../src/spawn/file/status-file.ts';
import { createPipeBackend } from '../../src/spawn/pipe/pipe-backend.ts';
import { createCurrentTable } from '../../src/spawn/tree/current-table.ts';
import type { TreeRegistry } from '../../src/spawn/tree/tree-registry.ts';
import { carriers, endAll, isAlive, tempDir, waitUntil } from '../support/os.ts';
import { createFactGate, type FactGate, type GatedAttempt } from './fact-gate.ts';
import { isForced, type ModelRow, type ProcessState } from './process-model.ts';
import type { World } from './world.ts';

const PUPPET = fileURLToPath(new URL('programs/puppet.sh', import.meta.url));

export interface RealWorld {
  readonly world: World;
  readonly gate: FactGate;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** Real processes: a leader by remote control, and a child that only SIGKILL ends. */
export function createRealWorld(
  { childHoldsOutput, isPersistent, before }: ModelRow,
  { write, trees }: { write: (order: string) => Promise<unknown>; trees: () => TreeRegistry },
): RealWorld {
  const directory = tempDir();
  const file = directory.file('puppet');
  const mark = `TROUPE_MODEL=${file}`;
  const createBackend = () => {
    const shared = { table: createCurrentTable(), trees: trees(), reportError: () => {} };
    return isPersistent ? createFileBackend(shared) : createPipeBackend(shared);
  };
  const gate = createFactGate({
    backend: createBackend,
    isDurable: isPersistent,
    clock: createRealClock(),
    on: 'real programs',
  });
  /** Stdin of the host, which stays with the attempt that has started it. */
  let started: GatedAttempt | null = null;

  const childPid = () => Number(readFileSync(`${file}.child`, 'utf8'));
  const hasChild = () => {
    try {
      return readFileSync(`${file}.child`, 'utf8').endsWith('\n');
    } catch {
      return false;
    }
  };
  const alive = () => carriers(mark);
  /** Carrier of the id that is no member: it records how the tree ends. */
  const launcherPid = () => {
    const { request } = gate.attempt;
    return request.files && readStatus(request.files.status, request.attempt).launcher;
  };
  const order = async (text: string) => {
    if (started === gate.attempt) await write(text);
    else started?.write(`${text}\n`);
  };

  const world: World = {
    comeUp: async () => {
      for (const end of ['child', 'termed']) rmSync(`${file}.${end}`, { force: true });
      started = gate.attempt;
      gate.attempt.begin();
      await waitUntil(hasChild, { what: 'the puppet has its child' });
    },
    beAdopted: () => {
      // The process before may have been at its end, too: waits for the next signal.
      rmSync(`${file}.termed`, { force: true });
      gate.attempt.begin();
    },
    failToStart: () => gate.attempt.begin({ type: 'argv', file: directory.file('missing'), args: [] }),
    exit: (status) => {
      if (status.signal !== 'SIGKILL') return order(toOrder(status));
      const leaders = alive().filter((pid) => pid !== childPid() && pid !== launcherPid());
      // A halted leader takes no orders.
      return endAll(leaders);
    },
    endOutput: () => order('exec > /dev/null 2>&1'),
    beQuiet: () => {},
    endChild: () => endAll([childPid()]),
    resist: () => {},
    vanish: async () => {
      // A process that was dead before the signal was not ended by it.
      await waitUntil(() => gate.attempt.isSignalled, { what: 'the tree was signalled' });
      await endAll(alive().filter((pid) => pid !== launcherPid()));
    },
    check: (state) =>
      checkSystem(state, {
        alive,
        childPid,
        isTermed: () => existsSync(`${file}.termed`),
        isTakenOver: before !== null,
      }),
    dispose: async () => {
      await endAll([], mark);
      directory.remove();
    },
  };
  const output = childHoldsOutput ? 'holding' : 'apart';
  return { world, gate, command: [PUPPET, file, output], env: { TROUPE_MODEL: file } };
}

function toOrder({ code, signal }: ExitStatus): string {
  return signal === null ? `exit ${code}` : `trap - TERM; kill -${signal.slice('SIG'.length)} $$`;
}

interface System {
  readonly alive: () => readonly number[];
  readonly childPid: () => number;
  readonly isTermed: () => boolean;
  /** Set if it was started under another supervisor. */
  readonly isTakenOver: boolean;
}

/** Compares pids and leftovers of the model with the operating system. */
async function checkSystem(state: ProcessState, system: System): Promise<void> {
  const { alive, childPid, isTermed, isTakenOver } = system;
  const { pid, exit, leftovers, receipt } = state.context;
  const status = toStatus(state);
  const isProvenGone = receipt !== null && receipt.survivors.length === 0;

  // Members that were never found cannot be ended.
  if (state.matches({ pending: 'adopting' }) || (status === 'lost' && isTakenOver && pid === null)) return;
  if (status === 'lost' || isForced(state) || isProvenGone) return nothing();
  if (status === 'pending' || status === 'restarting') return nothing();
  if (exit === null && pid === null) return nothing();
  if (exit === null) {
    const isTerminating = state.matches({ stopping: 'terminating' });
    if (isTerminating) await expectOf('SIGTERM has reached the leader', isTermed);
    return expectOf('the leader is alive', () => isAlive(pid ?? 0));
  }
  await expectOf('the leader is dead', () => !isAlive(pid ?? 0));
  if (state.status !== 'done') return;
  if (leftovers.length === 0) return nothing();
  return expectOf('the leftover is alive', () => alive().includes(childPid()));

  function nothing() {
    return expectOf('nothing of it is alive', () => alive().length === 0);
  }
}

async function expectOf(what: string, condition: () => boolean): Promise<void> {
  await waitUntil(condition, { what });
}
