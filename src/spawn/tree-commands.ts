import type { ProcessSignal, SentSignal } from '../../machines/process/context.ts';
import type {
  BackendCommand,
  SignalOutcome,
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

type TreeOrder = Extract<BackendCommand, { type: 'tree.signal' | 'tree.pause' | 'tree.resume' }>;

const unknownTree: SignalOutcome = {
  ok: false,
  error: 'Its processes could not be told from others, so that none of them was signalled.',
};

const overtaken: SignalOutcome = { ok: false, error: 'Another order came before it was carried out.' };

/** Returns the outcome for the members that were reached; a failure where none was. */
function toOutcome(reached: Omit<Extract<SignalOutcome, { ok: true }>, 'ok'>): SignalOutcome {
  if (reached.pids.length > 0) return { ok: true, ...reached };
  return { ok: false, error: 'It reached no process: none is alive, or all belong to other users.' };
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
    redact: (text) => redactText(text, request.secrets),
    reportError: deps.reportError,
    ...(isForeign !== undefined && { isForeign }),
  });
  deps.trees.add(request.id, { tree, identity });
  return tree;
}

export function createTreeCommands(options: {
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
}): TreeCommands {
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

  /** Replies with the outcome of an order that does not end the tree, or with the error that broke it. */
  async function orderTree(
    { reply }: TreeOrder,
    order: (tree: ProcessTree) => Promise<SignalOutcome>,
  ): Promise<void> {
    try {
      const tree = await findTree();
      reply(tree === null ? unknownTree : await order(tree));
    } catch (error) {
      reply({ ok: false, error: `Its processes could not be reached: ${toErrorText(error)}.` });
    }
  }

  async function signalTree(
    tree: ProcessTree,
    { signal, to, why }: Extract<TreeOrder, { type: 'tree.signal' }>,
  ): Promise<SignalOutcome> {
    const sent = await tree.signal(signal, to);
    for (const each of sent) tellSent(each, why);
    return toOutcome({ pids: sent.flatMap(({ pids }) => pids), running: [] });
  }

  async function pauseTree(tree: ProcessTree, { why }: TreeOrder): Promise<SignalOutcome> {
    const halted = await tree.pause((sent) => tellSent(sent, why));
    if (halted === null) return overtaken;
    const { running, ...facts } = halted;
    if (facts.pids.length > 0) port.tell({ type: 'tree.paused', ...facts, why });
    return toOutcome({ pids: facts.pids, running });
  }

  async function resumeTree(tree: ProcessTree, { why }: TreeOrder): Promise<SignalOutcome> {
    const resumed = await tree.resume((sent) => tellSent(sent, why));
    if (resumed === null) return overtaken;
    const { running: _, ...facts } = resumed;
    port.tell({ type: 'tree.resumed', ...facts, why });
    return { ok: true, pids: facts.pids, running: [] };
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

  function writeInput(
    reply: (result: WriteResult) => void,
    write: (input: InputPort) => Promise<WriteResult>,
  ): void {
    if ('refusal' in input) return reply(refuseWrite(input.code, input.refusal));
    void write(input)
      .catch((error: unknown) =>
        refuseWrite('broken', `The input could not be written: ${toErrorText(error)}`),
      )
      .then(reply);
  }

  return {
    execute: (command) => {
      switch (command.type) {
        case 'tree.end':
          return void endTree(command);
        case 'tree.signal':
          return void orderTree(command, (tree) => signalTree(tree, command));
        case 'tree.pause':
          return void orderTree(command, (tree) => pauseTree(tree, command));
        case 'tree.resume':
          return void orderTree(command, (tree) => resumeTree(tree, command));
        case 'tree.survey':
          return void surveyTree();
        case 'output.settle':
          return settleOutput(command.quietMs);
        case 'process.write':
          return writeInput(command.reply, ({ write }) => write(command.data, command));
        case 'process.endInput':
          return writeInput(command.reply, ({ end }) => end());
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
