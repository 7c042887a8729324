import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { TreeMember } from '../../../machines/process/context.ts';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { identify, type ProcessIdentity } from '../../../src/spawn/tree/identity.ts';
import { createProcessTree, type ProcessTree } from '../../../src/spawn/tree/process-tree.ts';
import { endAll, fixtureProgram, tempDir, waitUntil } from '../../support/os.ts';

export interface StartedTree {
  readonly pid: number;
  readonly identity: ProcessIdentity;
  readonly tree: ProcessTree;
  /** Resolves when the exit was collected and passed to the tree. */
  readonly exited: Promise<void>;
}

/** Real trees of one test; `end` proves that nothing of them is left. */
export function createTrees(): {
  readonly file: (name: string) => string;
  start(command: readonly [string, ...string[]], options?: { lineage?: string }): Promise<StartedTree>;
  /** Starts a fixture program and waits for the file it creates, which is its first argument. */
  startProgram(name: string, ...args: string[]): Promise<StartedTree>;
  /** Returns the pid that a fixture program wrote into its file. */
  pidIn(name: string): number;
  end(): Promise<void>;
} {
  const id = `tool_t${Math.random().toString(36).slice(2, 10)}`;
  const directory = tempDir();
  const clock = createRealClock();
  const table = createCurrentTable();
  const started: number[] = [];
  let count = 0;

  const start: ReturnType<typeof createTrees>['start'] = async (
    [file, ...args],
    { lineage = '/sup_t/' } = {},
  ) => {
    const processId = `${id}_${count}`;
    count += 1;
    const child = spawn(file, args, {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], TROUPE_LINEAGE: `/${id}${lineage}${processId}/` },
    });
    const { pid } = child;
    if (pid === undefined) throw new Error(`cannot start ${file}`);
    started.push(pid);
    const identity = await identify(table, { pid, id: processId });
    if (identity === null) throw new Error('it has ended before it was seen');
    const tree = createProcessTree({ identity, table, clock });
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => {
        tree.leaderExited();
        tree.recheck();
        resolve();
      });
    });
    return { pid, identity, tree, exited };
  };

  return {
    file: directory.file,
    start,
    startProgram: async (name, ...args) => {
      const tree = await start([fixtureProgram(`${name}.sh`), directory.file(name), ...args]);
      await waitUntil(() => existsSync(directory.file(name)), { what: `${name} is ready` });
      if (!/^\d+$/.test(readFileSync(directory.file(name), 'utf8').trim())) return tree;
      started.push(Number(readFileSync(directory.file(name), 'utf8')));
      return tree;
    },
    pidIn: (name) => Number(readFileSync(directory.file(name), 'utf8')),
    end: async () => {
      await endAll(started, `/${id}/`);
      directory.remove();
    },
  };
}

/** Watches until the end, and returns the members that ended beside the leader and those seen alive. */
export function gone(tree: ProcessTree): Promise<{
  ended: readonly TreeMember[];
  seen: readonly (readonly TreeMember[])[];
}> {
  const seen: (readonly TreeMember[])[] = [];
  return new Promise((resolve) => {
    tree.watch({ onGone: (ended) => resolve({ ended, seen }), onAliveChanged: (alive) => seen.push(alive) });
  });
}
