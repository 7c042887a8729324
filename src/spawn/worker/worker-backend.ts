import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { foreignRuntime } from '../../config/host-runtime.ts';
import type { Backend, BackendPort } from '../backend.ts';
import { pipeOutput } from '../pipe/output-pipe.ts';
import { refuseAll, refuseSignal, refuseTerminal, refuseWrite } from '../refusals.ts';
import { watchQuiet } from '../watch-quiet.ts';
import { listeningMessage, toWorkerScript } from './worker-script.ts';

/**
 * Runs a module in a worker thread. A function that it exports hears of the first signal through its abort signal; SIGKILL, and any signal to
 * a module without such a function, terminates the thread, even in an endless loop. Processes that the module starts by itself are unknown here.
 */
export const workerBackend: Backend = {
  mode: 'worker',
  capabilities: { input: false, terminal: false, osProcesses: false, separateStreams: true, durable: false },

  run(port) {
    const worker = tryStart(port);
    if (worker instanceof Worker) return supervise(worker, port);
    refuseAll(port);
    // A start that fails is reported in a later turn, like that of a program.
    queueMicrotask(() => port.tell({ type: 'process.spawnFailed', ...worker }));
    return () => {};
  },
};

const unusableInDeno =
  'Deno prints the output of a worker thread on the stdout of this program. Run the module as a program of its own, or start this program with node.';

type StartFailure = {
  readonly cause: 'missing-program' | 'other';
  readonly code: string | null;
  readonly message: string;
};

function tryStart({ request }: BackendPort): Worker | StartFailure {
  const { work } = request;
  if (work.type !== 'worker')
    return { cause: 'other', code: null, message: `The worker backend runs modules, not ${work.type}.` };
  if (foreignRuntime() === 'Deno') return { cause: 'other', code: null, message: unusableInDeno };
  if (work.module.startsWith('file:') && !existsSync(fileURLToPath(work.module)))
    return {
      cause: 'missing-program',
      code: 'ENOENT',
      message: `The module ${fileURLToPath(work.module)} does not exist.`,
    };
  try {
    return new Worker(toWorkerScript(work.module, request.id), {
      ...{ eval: true, stdout: true, stderr: true, workerData: work.workerData },
      ...(work.resourceLimits !== undefined && { resourceLimits: work.resourceLimits }),
    });
  } catch (error) {
    return { cause: 'other', code: null, message: `The worker cannot be started: ${toErrorText(error)}` };
  }
}

function supervise(worker: Worker, port: BackendPort): Cancel {
  const cancels = new Set<Cancel>();
  let isListening = false;
  let hasExited = false;
  /** The signal that the function was told of, or that ended the thread. */
  let signalled: ProcessSignal | null = null;

  const end = ({ signal, why }: Extract<BackendCommand, { type: 'tree.end' }>) => {
    if (hasExited) return port.tell({ type: 'tree.gone', ended: [] });
    signalled = signal;
    const isForced = signal === 'SIGKILL' || !isListening;
    if (isForced) void worker.terminate();
    else worker.postMessage(`stopped by ${signal}`);
    port.tell({ type: 'process.signalled', signal, via: isForced ? 'thread' : 'function', pids: [], why });
  };
  const execute = (command: BackendCommand) => {
    switch (command.type) {
      case 'tree.end':
        return end(command);
      case 'tree.signal':
      case 'tree.pause':
      case 'tree.resume':
        return refuseSignal(
          command,
          'It is a worker thread, without a process of its own: it can only be ended.',
        );
      case 'tree.survey':
        return port.tell({ type: 'tree.surveyed', leftovers: [] });
      case 'start.cancel':
        return;
      case 'output.settle': {
        const onQuiet = () => port.tell({ type: 'output.quieted' });
        cancels.add(watchQuiet({ ...port, quietMs: command.quietMs, onQuiet }));
        return;
      }
      case 'process.write':
      case 'process.endInput':
        return command.reply(refuseWrite('noInput', 'A worker thread has no input.'));
      default:
        return refuseTerminal(command);
    }
  };

  worker.on('message', (message) => {
    if (message === listeningMessage) isListening = true;
  });
  // After an uncaught error, which Node does not print, the thread exits with code 1.
  worker.on('error', (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    port.output.write('stderr', Buffer.from(`${text}\n`));
  });
  worker.on('exit', (code) => {
    hasExited = true;
    const exit =
      signalled !== null && code !== 0 ? { code: null, signal: signalled } : { code, signal: null };
    port.tell({ type: 'process.exited', exit });
    if (signalled !== null) port.tell({ type: 'tree.gone', ended: [] });
  });
  pipeOutput(
    { stdout: worker.stdout, stderr: worker.stderr },
    { sink: port.output, onEnded: () => port.tell({ type: 'output.ended' }) },
  );
  port.onCommand(execute);
  port.tell({ type: 'process.spawned', pid: null, pgid: null });
  return () => {
    for (const cancel of cancels) cancel();
    worker.unref();
  };
}
