import type { ProcessSignal, SentSignal } from '../../machines/process/context.ts';
import type {
  BackendCommand,
  SignalReason,
  WriteFailure,
  WriteResult,
} from '../../machines/process/events.ts';
import type { TerminalCommand } from '../../machines/process/terminal.ts';
import type { Cancel } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { redactText } from '../output/redact.ts';
import type { BackendPort } from './backend.ts';
import { refuseTerminal, refuseWrite } from './refusals.ts';
import type { ProcessIdentity } from './tree/identity.ts';
import type { IsForeign, ProcessTable } from './tree/process-table.ts';
import { createProcessTree, type ProcessTree } from './tree/process-tree.ts';
import type { TreeDeps, TreeRegistry } from './tree/tree-registry.ts';
import { orderTree } from './tree-orders.ts';
import { watchQuiet } from './watch-quiet.ts';

/** Input of a process. The text of a rejection becomes a result. */
export interface InputPort {
  /** Writes bytes. With `waits`, the process may take any time to read them. */
  write(data: Uint8Array, options?: { readonly waits?: boolean }): Promise<WriteResult>;
  end(): Promise<WriteResult>;
}

/** An input, or the reason why there is none. */
export type TreeInput = InputPort | { readonly code: WriteFailure; readonly refusal: string };

/** Terminal of a process. */
export interface TerminalPort {
  execute(command: TerminalCommand<WriteResult>): void;
}

/** Executes the commands that are the same for every backend that runs a process tree. */
interface TreeCommands {
  execute(command: BackendCommand): void;
  /** Cancels timers and watches without touching processes. */
  detach(): void;
}

interface TreeCommandOptions {
  readonly port: BackendPort;
  readonly trees: TreeRegistry;
  /** Called for each command; resolves to `null` where the tree is unknown. */
  readonly findTree: () => Promise<ProcessTree | null>;
  /** Ends processes that are no tree, and returns the signal if it sent one. */
  readonly endWithoutTree: (signal: ProcessSignal) => SentSignal | null;
  /** Tells whether the leader's pid may be reused: an empty tree is then removed from the registry. */
  readonly hasExited: () => boolean;
  /** Called when no member is alive after the exit of the leader. */
  readonly onTreeEmpty?: () => void;
  /** Called when members outlive the leader: reading their output must not keep this program running. */
  readonly onLeftovers?: () => void;
  /** Tells whether a pause in the output counts; `false` while printed output may still be on its way to the log. */
  readonly isOutputComplete?: () => boolean;
  readonly input: TreeInput;
  readonly terminal?: TerminalPort;
}

/** Creates the tree of a leader and makes it known to the registry. */
export function registerTree(
  identity: ProcessIdentity,
  options: { port: BackendPort; deps: TreeDeps; table?: ProcessTable; isForeign?: IsForeign },
): ProcessTree {
  const { deps, isForeign } = options;
  const { request, clock } = options.port;
  const tree = createProcessTree({
    identity,
    table: options.table ?? deps.table,
    clock,
    cwd: request.cwd,
    redact: (text) => redactText(text, request.secrets),
    reportError: deps.reportError,
    ...(isForeign !== undefined && { isForeign }),
  });
  deps.trees.add(request.id, { tree, identity });
  return tree;
}

export function createTreeCommands(options: TreeCommandOptions): TreeCommands {
  const { port, trees, findTree, hasExited, input } = options;
  const { request, clock, output } = port;
  const cancels = new Set<Cancel>();
  let isWatching = false;
  /** Reason for the last signal that ends the tree: members that are found later get it, too. */
  let endReason: SignalReason | null = null;

  const tellSent = (sent: SentSignal, why: SignalReason) =>
    port.tell({ type: 'process.signalled', ...sent, why });

  async function endTree({ signal, why }: Extract<BackendCommand, { type: 'tree.end' }>): Promise<void> {
    const tree = await findTree();
    endReason = why;
    if (tree === null) {
      const sent = options.endWithoutTree(signal);
      if (sent !== null) tellSent(sent, why);
      return;
    }
    if (!isWatching) watchTree(tree);
    await tree.end(signal);
  }

  function watchTree(tree: ProcessTree): void {
    isWatching = true;
    const cancel = tree.watch({
      onAliveChanged: (alive) => port.tell({ type: 'tree.seen', alive }),
      onSent: (sent) => {
        if (endReason !== null) tellSent(sent, endReason);
      },
      onGone: async (ended) => {
        trees.remove(request.id);
        port.tell({ type: 'tree.gone', ended, suspects: await tree.suspects() });
        if (hasExited()) options.onTreeEmpty?.();
      },
    });
    cancels.add(cancel);
  }

  async function surveyTree(): Promise<void> {
    const tree = await findTree();
    const leftovers = (await tree?.survey()) ?? [];
    const suspects = (await tree?.suspects()) ?? [];
    const isEmpty = leftovers.length === 0 && hasExited();
    if (isEmpty) trees.remove(request.id);
    port.tell({ type: 'tree.surveyed', leftovers, suspects });
    if (isEmpty) options.onTreeEmpty?.();
    else if (hasExited()) options.onLeftovers?.();
  }

  function settleOutput(quietMs: number): void {
    const { isOutputComplete: canReport } = options;
    const onQuiet = () => port.tell({ type: 'output.quieted' });
    cancels.add(
      watchQuiet({ clock, output, quietMs, onQuiet, ...(canReport !== undefined && { canReport }) }),
    );
  }

  return {
    execute: (command) => {
      switch (command.type) {
        case 'tree.end':
          return void endTree(command);
        case 'tree.signal':
        case 'tree.pause':
        case 'tree.resume':
          return void orderTree(command, { port, findTree });
        case 'tree.survey':
          return void surveyTree();
        case 'start.cancel':
          return;
        case 'output.settle':
          return settleOutput(command.quietMs);
        case 'process.write':
          return writeInput(input, command.reply, ({ write }) => write(command.data, command));
        case 'process.endInput':
          return writeInput(input, command.reply, ({ end }) => end());
        default:
          return options.terminal === undefined ? refuseTerminal(command) : options.terminal.execute(command);
      }
    },
    detach: () => {
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

/** Replies with the outcome of a write; with a refusal where there is no input, or where it failed. */
function writeInput(
  input: TreeInput,
  reply: (result: WriteResult) => void,
  write: (input: InputPort) => Promise<WriteResult>,
): void {
  if ('refusal' in input) return reply(refuseWrite(input.code, input.refusal));
  void write(input)
    .catch((error: unknown) => refuseWrite('broken', `The input could not be written: ${toErrorText(error)}`))
    .then(reply);
}
