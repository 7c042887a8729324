import type { ProcessSignal } from '../../machines/process/context.ts';
import type { BackendCommand, WriteFailure, WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer, TerminalCommand } from '../../machines/process/terminal.ts';
import type { Cancel } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import type { BackendPort } from './backend.ts';
import { watchQuiet } from './quiet-watch.ts';
import type { ProcessTree } from './tree/process-tree.ts';
import type { TreeRegistry } from './tree/tree-registry.ts';

/** How a process takes input; what a rejection says becomes a result. */
export interface InputPort {
  write(data: Uint8Array): Promise<WriteResult>;
  end(): Promise<WriteResult>;
}

/** That, or why there is none. */
export type TreeInput = InputPort | { readonly code: WriteFailure; readonly refusal: string };

/** The same for its terminal. */
export interface TerminalPort {
  obey(command: TerminalCommand<WriteResult>): void;
}

type ScreenFailure = Extract<CaptureAnswer, { ok: false }>['code'];

/** Carries out the orders that are the same for everything that is a tree of processes. */
export interface TreeCommands {
  obey(command: BackendCommand): void;
  /** Ends timers and watches; processes are left alone. */
  release(): void;
}

export function createTreeCommands(options: {
  readonly port: BackendPort;
  readonly trees: TreeRegistry;
  /** Asked at each order; `null` where the tree is not known. */
  readonly findTree: () => Promise<ProcessTree | null>;
  /** A signal for a tree that is not known. */
  readonly signalUnknown: (signal: ProcessSignal) => void;
  /** Whether the number of the leader may be another's: what is empty then is forgotten. */
  readonly hasExited: () => boolean;
  /** Nothing of the tree is alive, or nothing beside the leader. */
  readonly onAlone?: () => void;
  /** Whether a silence counts: `false` while what was printed may be on its way. */
  readonly isQuietTrue?: () => boolean;
  readonly input: TreeInput;
  readonly terminal?: TerminalPort;
}): TreeCommands {
  const { port, trees, findTree, hasExited, input } = options;
  const { request, clock, output } = port;
  const cancels = new Set<Cancel>();
  let isWatching = false;

  async function signalTree(signal: ProcessSignal): Promise<void> {
    const tree = await findTree();
    if (tree === null) return options.signalUnknown(signal);
    if (!isWatching) watchTree(tree);
    await tree.signal(signal);
  }

  function watchTree(tree: ProcessTree): void {
    isWatching = true;
    const cancel = tree.watch({
      onAlive: (alive) => port.tell({ type: 'tree.seen', alive }),
      onGone: async (ended) => {
        trees.remove(request.id);
        port.tell({ type: 'tree.gone', ended, suspects: await tree.suspects() });
        if (hasExited()) options.onAlone?.();
      },
    });
    cancels.add(cancel);
  }

  async function surveyTree(): Promise<void> {
    const tree = await findTree();
    const leftovers = (await tree?.survey()) ?? [];
    const suspects = (await tree?.suspects()) ?? [];
    const isAlone = leftovers.length === 0 && hasExited();
    if (isAlone) trees.remove(request.id);
    port.tell({ type: 'tree.surveyed', leftovers, suspects });
    if (isAlone) options.onAlone?.();
  }

  function settleOutput(quietMs: number): void {
    const { isQuietTrue: mayTell } = options;
    const onQuiet = () => port.tell({ type: 'output.quieted' });
    cancels.add(watchQuiet({ clock, output, quietMs, onQuiet, ...(mayTell !== undefined && { mayTell }) }));
  }

  function feed(
    reply: (result: WriteResult) => void,
    give: (input: InputPort) => Promise<WriteResult>,
  ): void {
    if ('refusal' in input) return reply(refuseWrite(input.code, input.refusal));
    void give(input)
      .catch((error: unknown) => refuseWrite('broken', `It could not be written: ${toErrorText(error)}`))
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
          return feed(command.reply, ({ write }) => write(command.data));
        case 'process.endInput':
          return feed(command.reply, ({ end }) => end());
        default:
          return options.terminal === undefined ? refuseTerminal(command) : options.terminal.obey(command);
      }
    },
    release: () => {
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

export function refuseWrite(code: WriteFailure, error: string): WriteResult {
  return { ok: false, bytesWritten: 0, code, error };
}

export function refuseScreen(code: ScreenFailure, error: string): CaptureAnswer {
  return { ok: false, code, error };
}

/** The answer of whoever has no terminal. */
export function refuseTerminal(command: TerminalCommand<WriteResult>): void {
  const error = 'It has no terminal: start it with interactive: true.';
  if (command.type === 'terminal.capture') command.reply(refuseScreen('noTerminal', error));
  else command.reply(refuseWrite('noTerminal', error));
}
