import type { BackendCommand, WriteResult } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { BackendPort } from '../backend.ts';
import { watchQuiet } from '../quiet-watch.ts';
import { identify } from '../tree/identity.ts';
import { createProcessTree, type ProcessTree } from '../tree/process-tree.ts';
import { createInputWriter } from './input-writer.ts';
import type { PipeWorld, SpawnedChild } from './pipe-world.ts';

/** Carries out what a process orders of its child. */
export interface ChildControl {
  obey(command: BackendCommand): void;
  leaderExited(): void;
  /** Ends timers and watches; the child is left alone. */
  release(): void;
}

export function createChildControl(
  child: SpawnedChild,
  { port, world }: { port: BackendPort; world: PipeWorld },
): ChildControl {
  const { request, clock, output } = port;
  const input = child.stdin === null ? null : createInputWriter(child.stdin, clock);
  const cancels = new Set<Cancel>();
  let watching = false;
  let exited = false;

  // The pid is the child's until its exit is collected, which takes a later turn of the event loop.
  const tree = identify(world.table, { pid: child.pid, id: request.id }).then((identity) => {
    if (identity === null) return null;
    const { table, leaders, reportError } = world;
    const isStranger = (pid: number) => pid !== child.pid && leaders.has(pid);
    const created = createProcessTree({ identity, table, clock, isStranger, reportError });
    world.trees.add(request.id, { tree: created, identity });
    if (exited) created.leaderExited();
    return created;
  });

  async function signalTree(
    signal: Extract<BackendCommand, { type: 'process.signal' }>['signal'],
  ): Promise<void> {
    const found = await tree;
    if (found === null) return port.tell({ type: 'tree.gone', ended: [] });
    if (!watching) watchTree(found);
    await found.signal(signal);
  }

  function watchTree(found: ProcessTree): void {
    watching = true;
    const cancel = found.watch({
      onAlive: (alive) => port.tell({ type: 'tree.seen', alive }),
      onGone: (ended) => {
        world.trees.remove(request.id);
        port.tell({ type: 'tree.gone', ended });
      },
    });
    cancels.add(cancel);
  }

  async function surveyTree(): Promise<void> {
    const leftovers = (await (await tree)?.survey()) ?? [];
    if (leftovers.length === 0) world.trees.remove(request.id);
    port.tell({ type: 'tree.surveyed', leftovers });
  }

  function settleOutput(quietMs: number): void {
    cancels.add(watchQuiet({ clock, output, quietMs, onQuiet: () => port.tell({ type: 'output.quieted' }) }));
  }

  const refuse = (error: string): WriteResult => ({ ok: false, bytesWritten: 0, error });
  const noInput = refuse('Its input was not asked for: start it with stdin: "pipe".');

  return {
    obey: (command) => {
      switch (command.type) {
        case 'process.signal':
          return void signalTree(command.signal);
        case 'tree.survey':
          return void surveyTree();
        case 'output.settle':
          return settleOutput(command.quietMs);
        case 'process.write':
          return input === null ? command.reply(noInput) : void input.write(command.data).then(command.reply);
        case 'process.endInput':
          return input === null ? command.reply(noInput) : void input.end().then(command.reply);
        case 'process.resize':
          return command.reply(refuse('It has no terminal.'));
      }
    },
    leaderExited: () => {
      exited = true;
      void tree.then((found) => {
        found?.leaderExited();
        found?.recheck();
      });
    },
    release: () => {
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}
