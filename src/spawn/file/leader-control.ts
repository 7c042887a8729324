import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import { redactText } from '../../output/redact-text.ts';
import type { BackendPort } from '../backend.ts';
import { toCookie } from '../environment.ts';
import type { ProcessEntry } from '../tree/process-table.ts';
import { createProcessTree, type ProcessTree } from '../tree/process-tree.ts';
import { createTreeCommands, type TerminalPort, type TreeInput } from '../tree-commands.ts';
import type { FileWorld } from './file-world.ts';
import type { NamedProcess } from './status-file.ts';
import { withoutLauncher } from './without-launcher.ts';

/** Carries out what a process orders of a leader that may be nobody's child here. */
export interface LeaderControl {
  obey(command: BackendCommand): void;
  /** Now it is known who leads. To be called once, before `exited`. */
  known(who: {
    leader: NamedProcess & { readonly sid?: number; readonly pgid?: number };
    launcher: number | null;
  }): Promise<void>;
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
  {
    input,
    terminal,
    onAlone,
    isQuietTrue,
  }: {
    input: TreeInput;
    terminal?: TerminalPort;
    /** Who is told that nothing of the tree is left, once or more often, says `output.ended` by itself. */
    onAlone?: () => void;
    isQuietTrue?: () => boolean;
  },
): LeaderControl {
  const { request, clock } = port;
  const found = Promise.withResolvers<ProcessTree | null>();
  const cancels = new Set<Cancel>();
  let exited = false;
  let outputEnded = false;
  let released = false;
  let isKnown = false;

  /** Who holds the log cannot be known; who could hold it can: nobody writes once nobody of the tree is alive. */
  function endOutput(): void {
    if (onAlone !== undefined) return onAlone();
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

  const commands = createTreeCommands({
    port,
    trees: world.trees,
    findTree: () => found.promise,
    signalUnknown: () => port.tell({ type: 'tree.gone', ended: [] }),
    hasExited: () => exited,
    onAlone: endOutput,
    input,
    ...(terminal !== undefined && { terminal }),
    ...(isQuietTrue !== undefined && { isQuietTrue }),
  });

  return {
    obey: commands.obey,
    known: async ({ leader, launcher }) => {
      const { table, trees, reportError } = world;
      const { bootId, pidNamespace } = await table.scope();
      const { pid, startedAt, pgid = pid, sid = pid } = leader;
      const cookie = toCookie(request.id);
      const identity = { pid, pgid, sid, startedAt, bootId, pidNamespace, cookie };
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
      commands.release();
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

/** By its own making it leads a session where there is `setsid`; elsewhere only the table can tell. */
export function sidOf(entry: ProcessEntry | null): { sid?: number } {
  return entry === null ? {} : { sid: entry.sid };
}
