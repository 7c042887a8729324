import type { Observable } from 'rxjs';
import type { ProcessSignal, Requester, TreeMember } from '../../machines/process/context.ts';
import type { WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer, TerminalSize } from '../../machines/process/terminal.ts';
import type { ProcessStatus } from '../../machines/process/view.ts';
import type { Cancel } from '../clock/clock.ts';
import type { AbortOptions } from '../config/abort-signal.ts';
import { parseOptions } from '../config/parse-options.ts';
import { outputIterationOptions } from '../config/read-options.ts';
import type { EndingSignal } from '../config/signal-name.ts';
import type { CaptureOptions, KeyOrder } from '../config/terminal-options.ts';
import type { WaitOptions } from '../config/wait-options.ts';
import type { IterationOptions } from '../output/follow-log.ts';
import type { OutputLine } from '../output/lines.ts';
import type { OutputChunk, OutputGap, OutputPiece } from '../output/output-chunk.ts';
import type { OutputTimes } from '../output/output-times.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import type { OutputReader } from '../output/reader.ts';
import type { SecretOptions } from '../secrets/write-secret.ts';
import type { ProcessUsage } from '../spawn/tree/tree-usage.ts';
import type { ChangeSignal } from './change-signal.ts';
import { awaitResult } from './foreground-result.ts';
import type { ProcessDeps } from './process-deps.ts';
import type {
  KillAnswer,
  KillOptions,
  LimitChanges,
  OutputIterationOptions,
  ProcessHandle,
  SignalAnswer,
  SignalOptions,
} from './process-handle.ts';
import type { ProcessInput } from './process-input.ts';
import type { ProcessLife } from './process-life.ts';
import type { ProcessOrders } from './process-orders.ts';
import type { ProcessOutput } from './process-output.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { StartedResult } from './process-result.ts';
import type { AwaitedInput, FinalView, ProcessView, ReadyView } from './process-view.ts';
import type { Timeline, TimelineEntry } from './timeline.ts';
import type { Waited } from './waited.ts';

/** The parts of a process that its handle opens to users. */
interface HandledProcess {
  readonly plan: ProcessPlan;
  readonly deps: ProcessDeps;
  readonly life: ProcessLife;
  readonly output: ProcessOutput;
  readonly input: ProcessInput;
  readonly orders: ProcessOrders;
  readonly timeline: Timeline;
  readonly changes: ChangeSignal;
  readonly ended: Promise<FinalView>;
  view(): ProcessView;
  ready(options?: AbortOptions): Promise<ReadyView>;
}

/** The handle of a supervised process: each member is answered by the part of the process that it concerns. */
export class SupervisedHandle implements ProcessHandle {
  readonly #process: HandledProcess;

  constructor(process: HandledProcess) {
    this.#process = process;
  }

  get id(): string {
    return this.#process.plan.id;
  }

  get status(): ProcessStatus {
    return this.#process.life.status;
  }

  view(): ProcessView {
    return this.#process.view();
  }

  timeline(): readonly TimelineEntry[] {
    return this.#process.timeline.entries;
  }

  get ended(): Promise<FinalView> {
    return this.#process.ended;
  }

  ready(options?: AbortOptions): Promise<ReadyView> {
    return this.#process.ready(options);
  }

  result(): Promise<StartedResult> {
    return awaitResult(this.#process);
  }

  get status$(): Observable<ProcessStatus> {
    return this.#observe(() => this.status);
  }

  get view$(): Observable<ProcessView> {
    const { output } = this.#process;
    return this.#observe(
      () => this.view(),
      (push) => output.onGrowth(push),
    );
  }

  get output$(): Observable<OutputPiece> {
    return this.#process.output.pieces$;
  }

  get lines$(): Observable<OutputLine | OutputGap> {
    return this.#process.output.lines$;
  }

  output(options: IterationOptions & { readonly lossless: true }): AsyncGenerator<OutputChunk, void>;
  output(options?: OutputIterationOptions): AsyncGenerator<OutputPiece, void>;
  output(given: OutputIterationOptions = {}): AsyncGenerator<OutputPiece, void> {
    const { output } = this.#process;
    const call = { input: given, name: 'output' };
    const { lossless, ...options } = parseOptions(outputIterationOptions, call);
    return lossless ? output.iterateChunks(options) : output.iterate(options);
  }

  lines(options: IterationOptions = {}): AsyncGenerator<OutputLine, void> {
    return this.#process.output.iterateLines(options);
  }

  toWeb(options: IterationOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#process.output.toWeb(options);
  }

  read(options: ReadOptions = {}, by?: Requester): OutputRead {
    if (by !== undefined) this.#process.timeline.add('process.read', { by });
    return this.#process.output.read(options);
  }

  times(): OutputTimes {
    return this.#process.output.times();
  }

  reader(name: string): OutputReader {
    return this.#process.output.reader(name);
  }

  write(data: string | Uint8Array): Promise<WriteResult> {
    return this.#process.input.write(data);
  }

  writeLine(line: string): Promise<WriteResult> {
    return this.write(`${line}\n`);
  }

  get stdin(): WritableStream<string | Uint8Array> {
    return this.#process.input.stream;
  }

  endInput(): Promise<WriteResult> {
    return this.#process.input.end();
  }

  writeSecret(name: string, options: SecretOptions = {}): Promise<WriteResult> {
    return this.#process.input.writeSecret(name, options);
  }

  capture(options?: CaptureOptions): Promise<CaptureAnswer> {
    return this.#process.input.terminal.capture(options);
  }

  sendKeys(order: KeyOrder): Promise<WriteResult> {
    return this.#process.input.terminal.sendKeys(order);
  }

  paste(text: string): Promise<WriteResult> {
    return this.#process.input.terminal.paste(text);
  }

  resize(size: TerminalSize): Promise<WriteResult> {
    return this.#process.input.resize(size);
  }

  get takesInput(): boolean {
    return this.#process.input.isAvailable;
  }

  awaitedInput(): Promise<AwaitedInput | null> {
    return this.#process.input.lookForAwaited();
  }

  members(): Promise<readonly TreeMember[]> {
    return this.#process.deps.members(this.id);
  }

  waitFor(options: WaitOptions = {}): Promise<Waited> {
    return this.#process.deps.waitFor(this, options);
  }

  kill(order: KillOptions | EndingSignal = {}): Promise<KillAnswer> {
    return this.#process.orders.kill(order);
  }

  signal(order: SignalOptions | ProcessSignal): Promise<SignalAnswer> {
    return this.#process.orders.signal(order);
  }

  async usage(): Promise<ProcessUsage | null> {
    const view = this.#process.view();
    return (await this.#process.deps.readUsage([view])).get(view.id) ?? null;
  }

  pause(by?: Requester): Promise<SignalAnswer> {
    return this.#process.orders.pause(by);
  }

  resume(by?: Requester): Promise<SignalAnswer> {
    return this.#process.orders.resume(by);
  }

  background(by: Requester = 'user'): boolean {
    return this.#process.orders.background(by);
  }

  restart(by: Requester = 'user'): boolean {
    return this.#process.orders.restart(by);
  }

  hold(order: { by?: Requester; signal?: EndingSignal } = {}): boolean {
    return this.#process.orders.hold(order);
  }

  proceed(): boolean {
    return this.#process.orders.proceed();
  }

  acknowledge(owner: string): void {
    this.#process.timeline.add('process.notified', { detail: owner });
  }

  changeLimits(changes: LimitChanges): boolean {
    return this.#process.orders.changeLimits(changes);
  }

  #observe<T>(current: () => T, onMore?: (push: () => void) => Cancel): Observable<T> {
    const { life, changes, deps } = this.#process;
    return changes.observe({
      current,
      isLast: () => life.isOver,
      onMore,
      onSubscriberError: (error) => deps.emit(this.id, { type: 'process.faulted', error }),
    });
  }
}
