import type { Writable } from 'node:stream';
import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { BackendCommand, WriteFailure, WriteResult } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { redactText } from '../../output/redact-text.ts';
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
  { port, world, stdin }: { port: BackendPort; world: PipeWorld; stdin: Writable | null },
): ChildControl {
  const { request, clock, output } = port;
  const input = stdin === null ? null : createInputWriter(stdin, clock);
  const cancels = new Set<Cancel>();
  let watching = false;
  let exited = false;
  /** A signal went to the group alone, as the tree is not known. */
  let groupWasSignalled = false;

  // The pid is the child's until its exit is collected, which takes a later turn of the event loop.
  let tree = findTree();

  /** `null` where the leader cannot be told from others. Never rejects. */
  async function findTree(): Promise<ProcessTree | null> {
    const { table, leaders, reportError } = world;
    try {
      const identity = await identify(table, { pid: child.pid, id: request.id });
      if (identity === null) return null;
      const isStranger = (pid: number) => pid !== child.pid && leaders.has(pid);
      const redact = (text: string) => redactText(text, request.secrets);
      const created = createProcessTree({ identity, table, clock, isStranger, redact, reportError });
      world.trees.add(request.id, { tree: created, identity });
      if (exited) created.leaderExited();
      return created;
    } catch (error) {
      reportError(error);
      return null;
    }
  }

  /** What kept it from being found may be over, such as too many open files: until the exit the pid is the child's. */
  async function findTreeAgain(): Promise<ProcessTree | null> {
    const before = tree;
    if ((await before) === null && !exited && tree === before) tree = findTree();
    return tree;
  }

  async function signalTree(signal: ProcessSignal): Promise<void> {
    const found = await findTreeAgain();
    if (found === null) return signalGroup(signal);
    if (!watching) watchTree(found);
    await found.signal(signal);
  }

  /** The child leads a group of its own, which is ours until its exit is collected. Then nobody is known to be alive. */
  function signalGroup(signal: ProcessSignal): void {
    if (exited) return port.tell({ type: 'tree.gone', ended: [] });
    groupWasSignalled = true;
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      world.reportError(error);
    }
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

  const refuse = (code: WriteFailure, error: string): WriteResult => ({
    ok: false,
    bytesWritten: 0,
    code,
    error,
  });
  const refuseBroken = (error: unknown) => refuse('broken', `It could not be written: ${toErrorText(error)}`);
  const noInput = refuse('noInput', 'Its input was not asked for: start it with stdin: "pipe".');

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
          return input === null
            ? command.reply(noInput)
            : void input.write(command.data).catch(refuseBroken).then(command.reply);
        case 'process.endInput':
          return input === null
            ? command.reply(noInput)
            : void input.end().catch(refuseBroken).then(command.reply);
        case 'process.resize':
          return command.reply(refuse('noTerminal', 'It has no terminal.'));
      }
    },
    leaderExited: () => {
      exited = true;
      void tree.then((found) => {
        found?.leaderExited();
        found?.recheck();
        if (found === null && groupWasSignalled) port.tell({ type: 'tree.gone', ended: [] });
      });
    },
    release: () => {
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}
