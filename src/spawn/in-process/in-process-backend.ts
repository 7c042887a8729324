import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { Backend, BackendPort } from '../backend.ts';
import { refuseSignal, refuseTerminal, refuseWrite } from '../refusals.ts';
import { watchQuiet } from '../watch-quiet.ts';

/**
 * Runs a function of this program. SIGKILL cannot end it: a function that ignores its abort signal stays `stopping`. Its result
 * is its output: text as it is, anything else as one line of JSON.
 */
export const inProcessBackend: Backend = {
  mode: 'in_process',
  capabilities: { input: false, terminal: false, osProcesses: false, separateStreams: true, durable: false },

  run(port) {
    const aborter = new AbortController();
    const progress = { settled: false, signalled: false };
    const cancels = new Set<Cancel>();
    const settle = (code: 0 | 1) => {
      progress.settled = true;
      port.tell({ type: 'output.ended' });
      port.tell({
        type: 'process.exited',
        exit:
          code === 1 && aborter.signal.aborted ? { code: null, signal: 'SIGTERM' } : { code, signal: null },
      });
      if (progress.signalled) port.tell({ type: 'tree.gone', ended: [] });
    };

    port.onCommand((command) => execute(command, { port, aborter, progress, cancels }));
    port.tell({ type: 'process.spawned', pid: null, pgid: null });
    void callWork(port, aborter.signal).then(settle);
    return () => {
      for (const cancel of cancels) cancel();
    };
  },
};

async function callWork(port: BackendPort, signal: AbortSignal): Promise<0 | 1> {
  const { id, work } = port.request;
  const { output } = port;
  const write = (stream: 'stdout' | 'stderr') => (text: string | Uint8Array) => {
    const isWritable = output.write(stream, typeof text === 'string' ? Buffer.from(text) : text);
    return isWritable ? undefined : new Promise<void>((resolve) => output.whenWritable(resolve));
  };
  try {
    if (work.type !== 'function') throw new Error(`The in-process backend runs functions, not ${work.type}.`);
    const result = await work.run({ id, signal, stdout: write('stdout'), stderr: write('stderr') });
    if (result !== undefined) write('stdout')(toPrinted(result));
    return 0;
  } catch (error) {
    write('stderr')(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  }
}

/** Formats a result. JSON has no form for functions and symbols. */
function toPrinted(result: unknown): string {
  return typeof result === 'string' ? result : `${JSON.stringify(result) ?? String(result)}\n`;
}

function execute(
  command: BackendCommand,
  run: {
    port: BackendPort;
    aborter: AbortController;
    progress: { settled: boolean; signalled: boolean };
    cancels: Set<Cancel>;
  },
): void {
  const { port, aborter, progress, cancels } = run;
  switch (command.type) {
    case 'tree.end': {
      const { signal, why } = command;
      progress.signalled = true;
      if (progress.settled) return port.tell({ type: 'tree.gone', ended: [] });
      // A second signal changes nothing.
      if (!aborter.signal.aborted)
        port.tell({ type: 'process.signalled', signal, via: 'function', pids: [], why });
      aborter.abort(new Error(`stopped by ${signal}`));
      return;
    }
    case 'tree.signal':
    case 'tree.pause':
    case 'tree.resume':
      return refuseSignal(
        command,
        'It is a function inside this program, without a process of its own: it can only be ended.',
      );
    case 'tree.survey':
      port.tell({ type: 'tree.surveyed', leftovers: [] });
      return;
    case 'start.cancel':
      return;
    case 'output.settle':
      cancels.add(
        watchQuiet({
          ...port,
          quietMs: command.quietMs,
          onQuiet: () => port.tell({ type: 'output.quieted' }),
        }),
      );
      return;
    case 'process.write':
    case 'process.endInput':
      command.reply(refuseWrite('noInput', 'Work inside this program has no input.'));
      return;
    default:
      refuseTerminal(command);
  }
}
