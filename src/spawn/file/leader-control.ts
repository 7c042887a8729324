import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { BackendCommand, WriteFailure, WriteResult } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { redactText } from '../../output/redact-text.ts';
import type { BackendPort } from '../backend.ts';
import { toCookie } from '../environment.ts';
import type { InputWriter } from '../pipe/input-writer.ts';
import { watchQuiet } from '../quiet-watch.ts';
import type { ProcessEntry } from '../tree/process-table.ts';
import { createProcessTree, type ProcessTree } from '../tree/process-tree.ts';
import type { FileWorld } from './file-world.ts';
import type { NamedProcess } from './status-file.ts';
import { withoutLauncher } from './without-launcher.ts';

/** Carries out what a process orders of a leader that may be nobody's child here. */
export interface LeaderControl {
  obey(command: BackendCommand): void;
  /** Now it is known who leads. To be called once, before `exited`. */
  known(who: { leader: NamedProcess & { readonly sid?: number }; launcher: number | null }): Promise<void>;
  readonly isKnown: boolean;
  /** There will be no leader. */
  neverKnown(): void;
  /** `justNow`: its number cannot be another's yet. */
  exited(when: 'justNow' | 'longAgo'): void;
  /** Ends timers and watches; processes are left alone. */
  release(): void;
}

/** While something that it left behind lives, its end is looked for so often: only that says that no more output comes. */
const leftoverLookMs = 1_000;

export function createLeaderControl(
  { port, world }: { port: BackendPort; world: FileWorld },
  input: InputWriter | { readonly refusal: string; readonly code: WriteFailure },
): LeaderControl {
  const { request, clock, output } = port;
  const found = Promise.withResolvers<ProcessTree | null>();
  const cancels = new Set<Cancel>();
  let watching = false;
  let exited = false;
  let outputEnded = false;
  let released = false;
  let isKnown = false;

  async function signalTree(signal: ProcessSignal): Promise<void> {
    const tree = await found.promise;
    if (tree === null) return port.tell({ type: 'tree.gone', ended: [] });
    if (!watching) watchTree(tree);
    await tree.signal(signal);
  }

  function watchTree(tree: ProcessTree): void {
    watching = true;
    const cancel = tree.watch({
      onAlive: (alive) => port.tell({ type: 'tree.seen', alive }),
      onGone: (ended) => {
        world.trees.remove(request.id);
        port.tell({ type: 'tree.gone', ended });
        if (exited) endOutput();
      },
    });
    cancels.add(cancel);
  }

  async function surveyTree(): Promise<void> {
    const leftovers = (await (await found.promise)?.survey()) ?? [];
    if (leftovers.length === 0 && exited) world.trees.remove(request.id);
    port.tell({ type: 'tree.surveyed', leftovers });
    if (leftovers.length === 0 && exited) endOutput();
  }

  /** Who holds the log cannot be known; who could hold it can: nobody writes once nobody of the tree is alive. */
  function endOutput(): void {
    if (outputEnded) return;
    outputEnded = true;
    port.tell({ type: 'output.ended' });
  }

  async function endOutputOnceAlone(tree: ProcessTree | null): Promise<void> {
    if (tree === null || (await tree.survey()).length === 0) return endOutput();
    if (released || outputEnded) return;
    const again = () => void endOutputOnceAlone(tree);
    cancels.add(clock.at(clock.nowMs() + leftoverLookMs, again, { idle: true }));
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

  function feed(
    reply: (result: WriteResult) => void,
    give: (writer: InputWriter) => Promise<WriteResult>,
  ): void {
    if ('refusal' in input) return reply(refuse(input.code, input.refusal));
    void give(input)
      .catch((error: unknown) => refuse('broken', `It could not be written: ${toErrorText(error)}`))
      .then(reply);
  }

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
          return feed(command.reply, (writer) => writer.write(command.data));
        case 'process.endInput':
          return feed(command.reply, (writer) => writer.end());
        case 'process.resize':
          return command.reply(refuse('noTerminal', 'It has no terminal.'));
      }
    },
    known: async ({ leader, launcher }) => {
      const { table, trees, reportError } = world;
      const { bootId, pidNamespace } = await table.scope();
      const { pid, startedAt, sid = pid } = leader;
      const cookie = toCookie(request.id);
      const identity = { pid, pgid: pid, sid, startedAt, bootId, pidNamespace, cookie };
      const redact = (text: string) => redactText(text, request.secrets);
      const tree = createProcessTree({
        identity,
        table: withoutLauncher(table, launcher),
        clock,
        redact,
        reportError,
      });
      trees.add(request.id, { tree, identity });
      isKnown = true;
      found.resolve(tree);
    },
    get isKnown() {
      return isKnown;
    },
    neverKnown: () => found.resolve(null),
    exited: (when) => {
      exited = true;
      void found.promise.then((tree) => {
        if (when === 'justNow') tree?.leaderExited();
        tree?.recheck();
        return endOutputOnceAlone(tree);
      });
    },
    release: () => {
      released = true;
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

/** By its own making it leads a session where there is `setsid`; elsewhere only the table can tell. */
export function sidOf(entry: ProcessEntry | null): { sid?: number } {
  return entry === null ? {} : { sid: entry.sid };
}
