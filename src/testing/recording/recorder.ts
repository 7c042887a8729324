import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import { createRealClock } from '../../clock/real-clock.ts';
import { toError, toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { openReachableSupervisor } from '../../control/reachable-supervisor.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import { ModelError } from '../../models/model-error.ts';
import type { OutputLog } from '../../output/output-log.ts';
import type { OutputSink, OutputStream } from '../../output/output-sink.ts';
import { createRedactor, type Redactor, redactValue } from '../../output/redact.ts';
import type { BackendPort } from '../../spawn/backend.ts';
import { createFileJournal } from '../../store/file-journal.ts';
import type { Journal } from '../../store/journal.ts';
import { type AttemptStart, realSystem, type SystemDeps } from '../../supervisor/system-deps.ts';
import { type RecordingEntry, recordingVersion } from './recording-entry.ts';
import type { Stage } from './stage.ts';

/** Recorder of a program's processes and model replies; see `createRecorder`. */
export interface Recorder extends Stage {
  /**
   * Completes the recording; later events are not recorded. Call it after the shutdown of the supervisors.
   *
   * @throws TroupeError `recording` if the file could not be written completely. The program itself was not affected.
   */
  close(): void;
}

/** An entry without its time. */
type Untimed<Entry> = Entry extends unknown ? Omit<Entry, 'at'> : never;
type Note = (entry: Untimed<RecordingEntry>) => void;

/**
 * Records a program for `replay`: output and events of its processes, replies of its models, and random values. The file has JSON lines, each
 * written at once, so a crash loses no earlier event; only its owner can read it. Known secrets are replaced, and input that is written to a
 * process is omitted.
 *
 * Persistent processes and terminals in tmux write their output themselves and are not recorded; a recording with one of them cannot be
 * replayed. An earlier recording of that name is replaced.
 *
 * @throws TroupeError `recording` if `file` exists and is not a recording; the system's error if it cannot be written.
 */
export function createRecorder({ file, clock: time = createRealClock() }: RecorderOptions): Recorder {
  removeEarlier(file);
  const journal = createFileJournal(file);
  const { clock, still } = createSteppedClock(time);
  const startMs = clock.nowMs();
  journal.append({ type: 'recording', version: recordingVersion, epochMs: clock.epochMs() });
  const { note, close } = createNotes(journal, () => clock.nowMs() - startMs);
  const system = recordSystem(note, still);
  let models = 0;
  return {
    clock,
    createSupervisor: (options) => openReachableSupervisor({ ...options, clock }, { ask: null, system }),
    wrapModel: (model) => {
      models += 1;
      return recordModel(typeof model === 'function' ? model() : model, { number: models - 1, note });
    },
    close: () => close(file),
  };
}

/** Options of `createRecorder`. */
export interface RecorderOptions {
  /** Path of the recording. Its directory is created where it is missing. */
  readonly file: string;
  /** Clock of the supervisors and conversations. Default: the machine's. */
  readonly clock?: Clock;
}

/** Calls a function while the clock stands still, so that its effects have the recorded time. */
type Still = <Value>(happen: () => Value) => Value;

/** Returns a clock that stands still during calls of `still`. */
function createSteppedClock(time: Clock): { readonly clock: Clock; readonly still: Still } {
  let standing: { readonly nowMs: number; readonly epochMs: number } | null = null;
  const clock: Clock = {
    nowMs: () => standing?.nowMs ?? time.nowMs(),
    epochMs: () => standing?.epochMs ?? time.epochMs(),
    ...(time.machineMs && { machineMs: time.machineMs }),
    at: time.at,
  };
  const still: Still = (happen) => {
    if (standing !== null) return happen();
    standing = { nowMs: time.nowMs(), epochMs: time.epochMs() };
    try {
      return happen();
    } finally {
      standing = null;
    }
  };
  return { clock, still };
}

function removeEarlier(file: string): void {
  let opened: number;
  try {
    opened = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const begin = Buffer.alloc(20);
  const bytes = readSync(opened, begin);
  closeSync(opened);
  if (bytes > 0 && !begin.toString().startsWith('{"type":"recording"')) {
    const message = `createRecorder: ${file} exists and is no recording. It was not changed; name another file.`;
    throw new TroupeError({ code: 'recording', message });
  }
  rmSync(file);
}

/** Writes entries until the end, or until one cannot be written. */
function createNotes(journal: Journal, nowMs: () => number) {
  let isOver = false;
  let failure: unknown = null;
  const note: Note = (entry) => {
    if (isOver) return;
    try {
      journal.append({ ...entry, at: nowMs() });
    } catch (error) {
      isOver = true;
      failure = error;
      process.emitWarning(`The recording ends here, it cannot be written: ${toErrorText(error)}.`);
    }
  };
  const close = (file: string): void => {
    note({ type: 'closed' });
    isOver = true;
    journal.close();
    if (failure === null) return;
    const message = `The recording ${file} is incomplete: ${toErrorText(failure)}. Make room or name another file, and record again.`;
    throw new TroupeError({ code: 'recording', message, cause: failure });
  };
  return { note, close };
}

function recordSystem(note: Note, still: Still): SystemDeps {
  const real = realSystem;
  /** Latest attempt of each process. */
  const attempts = new Map<string, number>();
  const toKey = (process: string) => ({ process, attempt: attempts.get(process) ?? 1 });
  return {
    createId: (kind, of) => {
      const id = real.createId(kind, of);
      note({ type: 'id', kind, of, id });
      return id;
    },
    createSeed: (process) => {
      const seed = real.createSeed(process);
      note({ type: 'seed', process, seed });
      return seed;
    },
    runAttempt: (port, start) => {
      attempts.set(port.request.id, port.request.attempt);
      return recordAttempt(port, start, { note, still });
    },
    watchReadiness: (process, options) => {
      const key = toKey(process);
      return real.watchReadiness(process, {
        ...options,
        onReady: () =>
          still(() => {
            note({ type: 'ready', ...key, failed: null });
            options.onReady();
          }),
        onFailed: (why) =>
          still(() => {
            note({ type: 'ready', ...key, failed: options.log.redact(why) });
            options.onFailed(why);
          }),
      });
    },
    watchInput: (process, options) => {
      const key = toKey(process);
      return real.watchInput(process, {
        ...options,
        onChange: (awaited) =>
          still(() => {
            note({ type: 'input', ...key, awaited });
            options.onChange(awaited);
          }),
      });
    },
    findPorts: async (pids) => {
      const ports = await real.findPorts(pids);
      note({ type: 'ports', pids: [...pids], ports: [...ports] });
      return ports;
    },
  };
}

function recordAttempt(
  port: BackendPort,
  attempt: AttemptStart,
  { note, still }: { readonly note: Note; readonly still: Still },
): Cancel | undefined {
  const { start, commandLine, log } = attempt;
  const key = { process: port.request.id, attempt: port.request.attempt };
  const unrecorded = findObstacle(port, attempt);
  note({ type: 'run', ...key, commandLine, unrecorded });
  if (unrecorded !== null) return start(port);

  const { sink, flush } = recordSink(port.output, log, {
    still,
    record: (stream, bytes) => note({ type: 'output', ...key, stream, ...encode(bytes) }),
  });
  let commands = 0;
  return start({
    ...port,
    output: sink,
    tell: (fact) =>
      still(() => {
        if (fact.type === 'output.ended') flush();
        note({ type: 'fact', ...key, fact });
        port.tell(fact);
      }),
    keepScreen: (screen) => {
      note({ type: 'screen', ...key, screen: redactValue(screen, log.secrets) });
      port.keepScreen(screen);
    },
    onCommand: (listener) =>
      port.onCommand((command) => {
        if (command.type === 'start.cancel') return listener(command);
        const number = commands;
        commands += 1;
        note({ type: 'command', ...key, number, command: command.type });
        listener(withReply(command, (answer) => note({ type: 'reply', ...key, number, answer }), log));
      }),
  });
}

/** Forwards output to the sink and records it with secrets replaced. */
function recordSink(
  sink: OutputSink,
  log: OutputLog,
  { still, record }: { still: Still; record: (stream: OutputStream, bytes: Uint8Array) => void },
): { readonly sink: OutputSink; flush(): void } {
  const redactors = new Map<OutputStream, { readonly secrets: number; readonly redactor: Redactor | null }>();
  const put = (stream: OutputStream, bytes: Uint8Array) => {
    if (bytes.byteLength > 0) record(stream, bytes);
  };
  const findRedactor = (stream: OutputStream): Redactor | null => {
    const { secrets } = log;
    const found = redactors.get(stream);
    if (found?.secrets === secrets.length) return found.redactor;
    // A secret was added. Bytes that the former redactor held back come first.
    if (found?.redactor != null) put(stream, found.redactor.flush());
    const redactor = createRedactor(secrets, stream === 'screen' ? 'drawn' : 'exact');
    redactors.set(stream, { secrets: secrets.length, redactor });
    return redactor;
  };
  return {
    sink: {
      write: (stream, bytes) =>
        still(() => {
          put(stream, findRedactor(stream)?.push(bytes) ?? bytes);
          return sink.write(stream, bytes);
        }),
      whenWritable: (callback) => sink.whenWritable(callback),
      get isBackpressured() {
        return sink.isBackpressured;
      },
      get bytes() {
        return sink.bytes;
      },
      get lastWriteAtMs() {
        return sink.lastWriteAtMs;
      },
    },
    flush: () => {
      for (const [stream, { redactor }] of redactors) if (redactor !== null) put(stream, redactor.flush());
    },
  };
}

/** Returns why an attempt cannot be recorded; `null` where it can. */
function findObstacle({ request }: BackendPort, { adopts }: AttemptStart): string | null {
  if (adopts) return 'another supervisor has started it';
  if (request.outlives) return 'it is persistent and writes its output itself';
  if (request.files !== null) return 'its terminal is in tmux, which writes its output itself';
  return null;
}

/** Returns the command with a reply that is also recorded. */
function withReply(
  command: BackendCommand,
  onReply: (answer: Extract<RecordingEntry, { type: 'reply' }>['answer']) => void,
  log: OutputLog,
): BackendCommand {
  if (!('reply' in command)) return command;
  const reply = command.reply as (answer: unknown) => void;
  const noted = (answer: Parameters<typeof onReply>[0]) => {
    onReply(redactValue(answer, log.secrets));
    reply(answer);
  };
  return { ...command, reply: noted } as BackendCommand;
}

function encode(bytes: Uint8Array): { readonly text: string } | { readonly base64: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString();
  return buffer.equals(Buffer.from(text)) ? { text } : { base64: buffer.toString('base64') };
}

function recordModel(model: ChatModel, { number, note }: { number: number; note: Note }): ChatModel {
  let requests = 0;
  return {
    name: model.name,
    stream: async function* (wanted) {
      const key = { model: number, request: requests };
      requests += 1;
      note({ type: 'request', ...key });
      try {
        for await (const delta of model.stream(wanted)) {
          note({ type: 'delta', ...key, delta });
          yield delta;
        }
      } catch (error) {
        // An aborted request is aborted again by the replayed program.
        if (!wanted.signal.aborted) note({ type: 'failed', ...key, ...toFailure(error) });
        throw error;
      }
      note({ type: 'replied', ...key });
    },
  };
}

function toFailure(error: unknown) {
  const { message } = toError(error);
  if (!(error instanceof ModelError)) return { message, failure: null, retryAfterMs: null };
  return { message, failure: error.failure, retryAfterMs: error.retryAfterMs };
}
