import { appendFileSync } from 'node:fs';
import type { ExitStatus, ProcessSignal, TreeMember } from '../../machines/process/context.ts';
import type { BackendCommand, WriteFailure, WriteResult } from '../../machines/process/events.ts';
import type {
  KeyStroke,
  Paste,
  ScreenCapture,
  TerminalCommand,
  TerminalSize,
} from '../../machines/process/terminal.ts';
import type { Cancel } from '../clock/clock.ts';
import type { OutputStream } from '../output/output-sink.ts';
import type { Backend, BackendPort, SpawnRequest, ToldFact } from '../spawn/backend.ts';
import { refuseSignal, refuseTerminal } from '../spawn/refusals.ts';
import { watchQuiet } from '../spawn/watch-quiet.ts';

/**
 * The behaviour of a run when it begins. Default: it starts, or is found running, at once, and then waits for
 * the test.
 */
export type Script = (run: ScriptedRun) => void;

/** A backend without an operating system, for tests of programs that embed a supervisor. */
export interface ScriptedBackend extends Backend {
  /** The attempts so far, oldest first. */
  readonly runs: readonly ScriptedRun[];
  /** The newest attempt. */
  readonly lastRun: ScriptedRun;
}

export interface ScriptedBackendOptions {
  /** Accepts persistent processes, and continues those of another supervisor as its own runs. Default false. */
  readonly durable?: boolean;
  /** Gives a terminal to interactive processes: `screen` of a run is its content. Default false. */
  readonly terminal?: boolean;
}

export function createScriptedBackend(
  script: Script = (run) => (run.isAdopted ? run.beAdopted() : run.comeUp()),
  { durable = false, terminal = false }: ScriptedBackendOptions = {},
): ScriptedBackend {
  const runs: ScriptedRun[] = [];
  const play = (port: BackendPort, begun: 'here' | 'elsewhere'): Cancel => {
    const run = new ScriptedRun(port, { pid: runs.length + 1, isAdopted: begun === 'elsewhere' });
    runs.push(run);
    script(run);
    return () => run.release();
  };
  return {
    mode: 'scripted',
    capabilities: { input: true, terminal, osProcesses: false, separateStreams: true, durable },
    runs,
    get lastRun() {
      const run = runs.at(-1);
      if (run === undefined) throw new Error('Nothing was started on this backend yet.');
      return run;
    },
    run: (port) => play(port, 'here'),
    ...(durable && { adopt: (port) => play(port, 'elsewhere') }),
  };
}

/** Attempt of a process, controlled by the test. */
export class ScriptedRun {
  readonly request: SpawnRequest;
  /** Started by another supervisor: it is found instead of started. */
  readonly isAdopted: boolean;
  /** The received signals, in order. */
  readonly signals: ProcessSignal[] = [];
  /** True while it is paused. */
  isPaused = false;
  /** Data written to its stdin. */
  input = '';
  /** The content of its terminal. */
  screen: readonly string[] = [];
  /** Keys pressed in its terminal, in order. */
  readonly strokes: KeyStroke[] = [];
  readonly pasted: string[] = [];
  /** The sizes of its terminal, including the first one. */
  readonly sizes: TerminalSize[] = [];
  /** Selects the signals that end it and its children. */
  obeys: (signal: ProcessSignal) => boolean = () => true;
  /** Processes alive beside the leader. */
  children: readonly TreeMember[] = [];
  /** Keeps the output open after the exit, like a grandchild that holds the pipe. */
  holdsOutput = false;
  readonly #port: BackendPort;
  readonly #pid: number;
  #state: 'new' | 'up' | 'exited' = 'new';
  #outputEnded = false;
  #cancels: Cancel[] = [];

  constructor(port: BackendPort, { pid, isAdopted }: { pid: number; isAdopted: boolean }) {
    this.request = port.request;
    this.isAdopted = isAdopted;
    this.#port = port;
    this.#pid = pid;
    if (port.request.terminal !== null) this.sizes.push(port.request.terminal);
    port.onCommand((command) => this.#obey(command));
  }

  /** True while it has started, or was found running, and has not exited. */
  get isUp(): boolean {
    return this.#state === 'up';
  }

  comeUp(): void {
    this.#state = 'up';
    this.tell({ type: 'process.spawned', pid: this.#pid, pgid: this.#pid });
  }

  /** Reports it as found again, with its known age. One that ended meanwhile exits next. */
  beAdopted({ isPaused = false }: { readonly isPaused?: boolean } = {}): void {
    this.#state = 'up';
    this.isPaused = isPaused;
    const { clock, startedAtMs = clock.nowMs() } = this.#port;
    this.tell({ type: 'process.adopted', pid: this.#pid, pgid: this.#pid, startedAtMs, isPaused });
  }

  /** Prints text. A persistent process writes its log itself, with a single stream. */
  print(text: string, stream: OutputStream = this.sizes.length > 0 ? 'screen' : 'stdout'): void {
    const { files } = this.request;
    if (files === null) this.#port.output.write(stream, Buffer.from(text));
    else appendFileSync(files.log, text);
  }

  /** Ends the leader, with code 0 by default; its output ends with it unless `holdsOutput`. */
  exit(status: Partial<ExitStatus> = {}): void {
    if (this.#state !== 'up') return;
    this.#state = 'exited';
    if (this.sizes.length > 0) this.#port.keepScreen(this.#capture(true));
    if (!this.holdsOutput) this.endOutput();
    const signal = status.signal ?? null;
    this.tell({
      type: 'process.exited',
      exit: { code: signal === null ? (status.code ?? 0) : null, signal },
    });
  }

  endOutput(): void {
    if (this.#outputEnded) return;
    this.#outputEnded = true;
    this.tell({ type: 'output.ended' });
  }

  /** Reports any fact to the process, even one that no correct backend would. */
  tell(fact: ToldFact): void {
    this.#port.tell(fact);
  }

  release(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
  }

  #obey(command: BackendCommand): void {
    switch (command.type) {
      case 'tree.end':
        return this.#take(command);
      case 'tree.signal':
      case 'tree.pause':
      case 'tree.resume':
        return this.#obeySignal(command);
      case 'tree.survey':
        return this.tell({ type: 'tree.surveyed', leftovers: this.children });
      case 'start.cancel':
        return;
      case 'output.settle':
        return this.#settleOutput(command.quietMs);
      case 'process.write':
        if (this.request.stdin !== 'pipe' && this.sizes.length === 0)
          return command.reply(refusal('noInput', 'Its input was not asked for.'));
        this.input += Buffer.from(command.data).toString();
        return command.reply({ ok: true, bytesWritten: command.data.byteLength });
      case 'process.endInput':
        if (this.request.stdin !== 'pipe')
          return command.reply(refusal('noInput', 'Its input was not asked for.'));
        return command.reply({ ok: true, bytesWritten: 0 });
      default:
        return this.sizes.length === 0 ? refuseTerminal(command) : this.#obeyTerminal(command);
    }
  }

  #obeyTerminal(command: TerminalCommand<WriteResult>): void {
    switch (command.type) {
      case 'process.resize':
        this.sizes.push({ columns: command.columns, rows: command.rows });
        return command.reply({ ok: true, bytesWritten: 0 });
      case 'terminal.sendKeys':
        for (const stroke of command.strokes) {
          if (stroke.type === 'paste') this.pasted.push(stroke.text);
          else this.strokes.push(stroke);
        }
        return command.reply({ ok: true, bytesWritten: command.strokes.reduce(addBytes, 0) });
      case 'terminal.capture': {
        const screen = this.#capture(false);
        const drawing = command.withDrawing ? screen.lines.join('\r\n') : null;
        return command.reply({ ok: true, screen, drawing, offset: this.#port.output.bytes });
      }
    }
  }

  #capture(isLast: boolean): ScreenCapture {
    const { columns, rows } = this.sizes.at(-1) ?? { columns: 80, rows: 24 };
    const lines = Array.from({ length: rows }, (_, index) => this.screen[index] ?? '');
    const row = Math.max(0, this.screen.length - 1);
    const cursor = { column: this.screen.at(-1)?.length ?? 0, row, isVisible: true };
    return { columns, rows, lines, scrollback: [], cursor, isAlternate: false, title: null, isLast };
  }

  #obeySignal(command: SignalCommand): void {
    const { why, reply } = command;
    const pids = this.#alivePids();
    if (pids.length === 0) return refuseSignal(command, 'It is not running.');
    if (command.type === 'tree.signal') {
      const { signal, to } = command;
      const reached = to === 'leader' ? [this.#pid] : pids;
      this.signals.push(signal);
      this.tell({ type: 'process.signalled', signal, via: 'process', pids: reached, why });
      return reply({ ok: true, pids: reached, running: [] });
    }
    this.isPaused = command.type === 'tree.pause';
    this.tell({ type: this.isPaused ? 'tree.paused' : 'tree.resumed', via: 'signals', pids, why });
    reply({ ok: true, pids, running: [] });
  }

  #alivePids(): readonly number[] {
    const leader = this.#state === 'up' ? [this.#pid] : [];
    return [...leader, ...this.children.map(({ pid }) => pid)];
  }

  #take({ signal, why }: Extract<BackendCommand, { type: 'tree.end' }>): void {
    this.signals.push(signal);
    this.isPaused = false;
    const pids = this.#alivePids();
    if (pids.length > 0) this.tell({ type: 'process.signalled', signal, via: 'process', pids, why });
    if (!this.obeys(signal)) {
      const leader = { pid: this.#pid, pgid: this.#pid, startedAt: '0', command: 'scripted' };
      const leaders = this.#state === 'up' ? [leader] : [];
      return this.tell({ type: 'tree.seen', alive: [...leaders, ...this.children] });
    }
    const ended = this.children;
    this.children = [];
    this.holdsOutput = false;
    this.exit({ signal });
    this.endOutput();
    this.tell({ type: 'tree.gone', ended });
  }

  #settleOutput(quietMs: number): void {
    const { clock, output } = this.#port;
    this.#cancels.push(
      watchQuiet({ clock, output, quietMs, onQuiet: () => this.tell({ type: 'output.quieted' }) }),
    );
  }
}

type SignalCommand = Extract<BackendCommand, { type: 'tree.signal' | 'tree.pause' | 'tree.resume' }>;

function refusal(code: WriteFailure, error: string): WriteResult {
  return { ok: false, bytesWritten: 0, code, error };
}

function addBytes(sum: number, stroke: KeyStroke | Paste): number {
  return sum + (stroke.type === 'paste' ? Buffer.byteLength(stroke.text) : 1);
}
