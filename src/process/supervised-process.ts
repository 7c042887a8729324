import type { Observable } from 'rxjs';
import type { KillReceipt, ProcessSignal, Requester, TreeMember } from '../../machines/process/context.ts';
import type { BackendCommand, ProcessAnnouncement, WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer, ScreenCapture, TerminalSize } from '../../machines/process/terminal.ts';
import { isFinal, type ProcessStatus } from '../../machines/process/view.ts';
import { parseOptions } from '../config/parse-options.ts';
import { killOptions, limitChanges } from '../config/process-spec.ts';
import { writeSecretOptions } from '../config/secret-source.ts';
import type { KeyOrder } from '../config/terminal-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { iterate } from '../output/iterate.ts';
import type { OutputLine } from '../output/lines.ts';
import type { OutputTimes } from '../output/log-times.ts';
import { lines$, output$ } from '../output/observables.ts';
import type { OutputGap, OutputPiece } from '../output/output-chunk.ts';
import type { OutputLog } from '../output/output-log.ts';
import { readLogProgress } from '../output/progress.ts';
import { type OutputRead, type ReadOptions, readOutput } from '../output/read-output.ts';
import { createReaders, type OutputReader, type ReaderPositions, type Readers } from '../output/reader.ts';
import { showsSecret } from '../output/redact.ts';
import { hideOnScreen } from '../secrets/hide-on-screen.ts';
import { createFixedResolver } from '../secrets/secret-resolver.ts';
import { type SecretOptions, type SecretRecipient, writeSecret } from '../secrets/write-secret.ts';
import type { SpawnRequest } from '../spawn/backend.ts';
import type { ProcessIdentity } from '../spawn/tree/identity.ts';
import { readAgentAnswer } from './agent-answer.ts';
import { toNote } from './announcement-notes.ts';
import { ChangeSignal } from './change-signal.ts';
import { createProcessLog } from './create-process-log.ts';
import { type KillOrder, killProcess } from './kill-process.ts';
import type { KillAnswer, KillOptions, LimitChanges, ProcessHandle } from './process-handle.ts';
import { ProcessLife } from './process-life.ts';
import type { ProcessPlan } from './process-plan.ts';
import { describeLostEnvironment } from './process-plan.ts';
import type { RecordedWatch } from './process-record.ts';
import { type CaptureOptions, ProcessTerminal } from './process-terminal.ts';
import type { AwaitedInput, FinalView, ProcessView, ProgressView, ReadyView } from './process-view.ts';
import type { ProcessWorld } from './process-world.ts';
import type { RestoredProcess } from './restored-process.ts';
import {
  type ResultEnvelope,
  type ResultParts,
  readPrinted,
  toBackgroundedEnvelope,
  toLiving,
  toQueuedEnvelope,
  toResultEnvelope,
  toSurvivedEnvelope,
} from './result-envelope.ts';
import { addEntry, type TimelineEntry, type TimelineEvent } from './timeline.ts';
import { toProcessView } from './to-process-view.ts';

/** A process as its supervisor sees it: the handle, and what only the supervisor may do. */
export class SupervisedProcess implements ProcessHandle {
  readonly plan: ProcessPlan;
  /** Who it belongs to now. */
  owner: string;
  readonly log: OutputLog;
  readonly terminal: ProcessTerminal;
  readonly life: ProcessLife;
  readonly #world: ProcessWorld;
  readonly #timeline: TimelineEntry[];
  readonly #changes = new ChangeSignal();
  #readers: Readers | null = null;
  #shownStatus: ProcessStatus;
  #ready: ReadyView;
  #awaitsInput: AwaitedInput | null = null;
  #progress: { readonly atBytes: number; readonly view: ProgressView | null } | null = null;
  #ended: Promise<FinalView> | null = null;
  /** What the log promised: everything is on disk. */
  #flushed: Promise<void> | null = null;
  readonly #earlier: RestoredProcess | null;
  #isReleased = false;
  /** Where the output of the attempt that runs begins. */
  attemptOffset: number;
  /** Who wants to be told of it, as it is written down. */
  watches: readonly RecordedWatch[];

  constructor(plan: ProcessPlan, world: ProcessWorld, earlier: RestoredProcess | null = null) {
    this.plan = plan;
    this.owner = earlier?.owner ?? plan.owner;
    this.#world = world;
    this.#earlier = earlier;
    this.#timeline = [...(earlier?.timeline ?? [])];
    this.#ready = earlier?.ready ?? { state: plan.ready === null ? 'undeclared' : 'waiting' };
    this.log = createProcessLog(plan, {
      clock: world.clock,
      hasEnded: earlier?.life.type === 'ended',
      onListenerError: (error) => world.onFault(plan.id, error),
    });
    this.terminal = new ProcessTerminal(plan, {
      ask: (toCommand, otherwise) => this.#askBody(toCommand, otherwise),
      hasEnded: () => this.hasEnded,
      hide: (screen) => hideOnScreen(screen, this.log.secrets),
      showsSecret: (text) => showsSecret(text, this.log.secrets),
      onTyped: () => world.onTyped(plan.id),
      reportError: (error) => world.onFault(plan.id, error),
    });
    this.life = new ProcessLife(plan, {
      world,
      earlier: earlier?.life ?? null,
      lastOutputAtMs: () => this.log.lastWriteAtMs,
      onSnapshot: () => this.#showStatus(),
      onAnnouncement: (announcement) => this.#take(announcement),
      onBroken: (error) => world.onBroken(plan.id, error),
    });
    this.#shownStatus = this.life.status;
    this.attemptOffset = earlier?.attemptOffset ?? 0;
    this.watches = earlier?.watches ?? [];
    if (earlier === null) this.note('created');
  }

  get id(): string {
    return this.plan.id;
  }

  get status(): ProcessStatus {
    return this.life.status;
  }

  /** Its supervisor has let go of it. */
  get isDetached(): boolean {
    return this.#isReleased;
  }

  /** See `EarlierProcess`. */
  get isUnowned(): boolean {
    return this.#earlier?.isUnowned ?? false;
  }

  /** See `EarlierProcess`. */
  get recordedLeader(): ProcessIdentity | null {
    return this.#earlier?.leader ?? null;
  }

  /** It began under another supervisor. */
  get isRestored(): boolean {
    return this.#earlier !== null;
  }

  get hasEnded(): boolean {
    return isFinal(this.life.status);
  }

  view(): ProcessView {
    const { plan, owner, log } = this;
    return toProcessView({
      plan,
      owner,
      log,
      life: this.life.view,
      times: this.life.times,
      ready: this.#ready,
      clock: this.#world.clock,
      countedOutput: this.#earlier?.output ?? null,
      terminal: this.terminal.view,
      awaitsInput: this.#awaitsInput,
      progress: this.#readProgress(),
    });
  }

  timeline(): readonly TimelineEntry[] {
    return [...this.#timeline];
  }

  get ended(): Promise<FinalView> {
    this.#ended ??= this.#changes
      .until(() => this.hasEnded)
      .then(async () => {
        await this.#flushed;
        return this.view() as FinalView;
      });
    return this.#ended;
  }

  async ready(): Promise<ReadyView> {
    await this.#changes.until(() => this.#ready.state !== 'waiting' || this.#isOver);
    if (this.#ready.state !== 'waiting') return this.#ready;
    return { state: 'failed', why: this.#isReleased ? 'its supervisor ended first' : 'it ended first' };
  }

  async result(): Promise<ResultEnvelope> {
    await this.#changes.until(() => this.#isOver || !this.#isAwaited || this.#hasSurvived);
    if (this.#hasSurvived) return toSurvivedEnvelope(await this.#toParts(this.view()));
    if (!this.hasEnded && this.status !== 'pending')
      return toBackgroundedEnvelope(await this.#toParts(this.view()));
    if (!this.hasEnded) return this.#toQueuedEnvelope(await this.#toParts(this.view()));
    const view = await this.ended;
    const parts = await this.#toParts(view);
    if (view.status === 'timed_out' && view.pid === null && view.startedAt === null)
      return this.#toQueuedEnvelope(parts);
    return toResultEnvelope(parts, this.plan.kind === 'agent' ? readAgentAnswer(this) : null);
  }

  async #toParts<View extends ProcessView>(view: View): Promise<ResultParts<View>> {
    const printed = await readPrinted((options) => this.read(options));
    return { view, printed, ...(await toLiving(view, this.#world.findPorts)) };
  }

  get status$(): Observable<ProcessStatus> {
    return this.#changes.observe({ current: () => this.status, isLast: () => this.#isOver, ...this.#guard });
  }

  get view$(): Observable<ProcessView> {
    return this.#changes.observe({ current: () => this.view(), isLast: () => this.#isOver, ...this.#guard });
  }

  get output$(): Observable<OutputPiece> {
    return output$(this.log, this.#guard);
  }

  get lines$(): Observable<OutputLine | OutputGap> {
    return lines$(this.log, this.#guard);
  }

  output(options: { from?: number; signal?: AbortSignal } = {}): AsyncGenerator<OutputPiece, void> {
    return iterate(this.log, options);
  }

  read(options: ReadOptions = {}, by?: Requester): OutputRead {
    if (by !== undefined) this.note('read', { by });
    return readOutput(this.log, { maxBytes: this.plan.output.maxReplyBytes, ...options });
  }

  times(): OutputTimes {
    return this.log.times();
  }

  reader(name: string): OutputReader {
    this.#readers ??= createReaders(this.log, {
      earlier: this.#earlier?.readers ?? {},
      onMoved: () => {
        if (this.plan.output.direct) this.#world.onNoted(this.id);
      },
    });
    return this.#readers.get(name);
  }

  /** For the next supervisor, whose log has the same offsets: of a process that writes its log itself. */
  get readerPositions(): ReaderPositions {
    if (!this.plan.output.direct) return this.#earlier?.readers ?? {};
    return this.#readers?.positions() ?? this.#earlier?.readers ?? {};
  }

  write(data: string | Uint8Array): Promise<WriteResult> {
    const bytes = toBytes(data);
    this.#world.onTyped(this.id);
    return this.#askInput((reply) => ({ type: 'process.write', data: bytes, reply }));
  }

  writeLine(line: string): Promise<WriteResult> {
    return this.write(`${line}\n`);
  }

  endInput(): Promise<WriteResult> {
    return this.#askInput((reply) => ({ type: 'process.endInput', reply }));
  }

  writeSecret(name: string, options: SecretOptions = {}): Promise<WriteResult> {
    const { pressEnter, value, signal } = parseOptions(writeSecretOptions, {
      input: options,
      name: 'writeSecret',
    });
    return writeSecret(
      { name, pressEnter, signal: signal ?? null },
      {
        recipient: this.#toSecretRecipient(),
        resolver: value === undefined ? this.#world.secrets : createFixedResolver(value),
      },
    );
  }

  capture(options?: CaptureOptions): Promise<CaptureAnswer> {
    return this.terminal.capture(options);
  }

  sendKeys(order: KeyOrder): Promise<WriteResult> {
    return this.terminal.sendKeys(order);
  }

  paste(text: string): Promise<WriteResult> {
    return this.terminal.paste(text);
  }

  async resize(size: TerminalSize): Promise<WriteResult> {
    const result = await this.terminal.resize(size);
    if (result.ok) {
      // Whoever adopts it starts it again in that size.
      this.#world.onNoted(this.id);
      this.#changed();
    }
    return result;
  }

  keepScreen(screen: ScreenCapture): void {
    this.terminal.keep(screen);
  }

  get takesInput(): boolean {
    const { size, stdin } = this.plan.launch;
    return size !== null || stdin === 'pipe';
  }

  awaitedInput(): Promise<AwaitedInput | null> {
    return this.#world.lookForInput(this.id);
  }

  members(): Promise<readonly TreeMember[]> {
    return this.#world.members(this.id);
  }

  async kill(options: KillOptions = {}): Promise<KillAnswer> {
    const { signal, grace, by } = parseOptions(killOptions, { input: options, name: 'kill' });
    if (this.#isReleased) return wasReleased(this.id);
    const target = {
      id: this.id,
      life: this.life.view,
      clock: this.#world.clock,
      view: () => this.view(),
      hasEnded: () => this.hasEnded,
      settled: () => this.#settled(),
      orderStop: (order: KillOrder) => this.stop({ ...order, by }),
      endLeftovers: (order: KillOrder) => this.endLeftovers({ ...order, by }),
    };
    return killProcess(target, { signal: signal as KillOrder['signal'], graceMs: grace });
  }

  background(by: Requester = 'user'): boolean {
    if (this.#isReleased) return false;
    const status = this.status;
    const isUp = status === 'running' && this.life.view.status === 'running' && this.life.view.exit === null;
    if (!isUp && status !== 'pending' && status !== 'restarting') return false;
    this.life.send({ type: 'process.background', by });
    return true;
  }

  restart(by: Requester = 'user'): boolean {
    const status = this.status;
    if (this.#isReleased) return false;
    if (status !== 'running' && status !== 'backgrounded' && status !== 'restarting') return false;
    const { lostNames } = this.plan.launch;
    // Before it is ended.
    if (lostNames.length > 0)
      throw new TroupeError({ code: 'not-found', message: describeLostEnvironment(lostNames) });
    this.life.send({ type: 'process.restart', by });
    return true;
  }

  hold({ by = 'user', signal = 'SIGTERM' }: { by?: Requester; signal?: ProcessSignal } = {}): boolean {
    const status = this.status;
    if (this.#isReleased) return false;
    if (status !== 'running' && status !== 'backgrounded' && status !== 'restarting') return false;
    this.life.send({ type: 'process.hold', by, signal });
    return true;
  }

  proceed(): boolean {
    if (this.#isReleased || this.status !== 'restarting') return false;
    this.life.send({ type: 'process.proceed' });
    return true;
  }

  acknowledge(owner: string): void {
    this.note('notified', { detail: owner });
  }

  changeLimits(changes: LimitChanges): boolean {
    const parsed = parseOptions(limitChanges, { input: changes, name: 'changeLimits' });
    if (this.#isOver || this.status === 'stopping') return false;
    this.life.send({
      type: 'limits.change',
      limits: {
        ...(parsed.timeout !== undefined && { timeoutMs: parsed.timeout }),
        ...(parsed.maxExecutionTime !== undefined && { maxExecutionMs: parsed.maxExecutionTime }),
        ...(parsed.maxBackgroundTime !== undefined && { maxBackgroundMs: parsed.maxBackgroundTime }),
      },
    });
    this.note('limits changed');
    return true;
  }

  /** Orders the stop without waiting for it. */
  stop(order: KillOrder & { by: Requester }): void {
    const { signal, graceMs, by } = order;
    this.life.send({ type: 'process.stop', by, signal, ...(graceMs !== undefined && { graceMs }) });
  }

  async endLeftovers({ signal, by, ...order }: KillOrder & { by: Requester }): Promise<KillReceipt> {
    const graceMs = order.graceMs ?? this.plan.limits.killGraceMs;
    return this.#world.endLeftovers(this.id, { signal, by, graceMs });
  }

  /** To be called before its backend runs: a process may print before anybody has heard that it is there. */
  beginAttempt(): void {
    this.attemptOffset = this.log.bytes;
    this.terminal.beginAttempt();
  }

  /** What is asked of the backend: the plan, and what has been changed since. */
  toRequest(attempt: number): SpawnRequest {
    return { ...this.plan.toRequest(attempt), terminal: this.terminal.orderedSize };
  }

  /** Lets go of it while it runs; see `ProcessLife.release`. Whoever follows it has seen the last of it. */
  detach(): boolean {
    if (!this.life.detach()) return false;
    this.#isReleased = true;
    if (this.status === 'restarting') this.note('released', { by: 'supervisor' });
    this.log.finish();
    void this.log.close();
    this.#changed();
    return true;
  }

  setReady(ready: ReadyView): void {
    this.#ready = ready;
    this.note(
      ready.state === 'ready' ? 'ready' : 'not ready',
      ready.state === 'failed' ? { detail: ready.why } : {},
    );
    this.#changed();
  }

  setAwaitedInput(awaited: AwaitedInput | null): void {
    this.#awaitsInput = awaited;
    this.#changed();
  }

  /** What was left behind is gone. */
  forgetLeftovers(): void {
    this.life.forgetLeftovers();
    this.note('leftovers ended');
    void this.log.close();
    this.#changed();
  }

  /** It was refused: it never existed. */
  discard(): void {
    this.life.discard();
    void this.log.close();
  }

  note(event: TimelineEvent, more: { by?: Requester; detail?: string } = {}): void {
    addEntry(this.#timeline, { at: this.#world.clock.epochMs(), event, ...more });
    // Who reads is not worth a write: it is kept with the next one.
    if (event !== 'read') this.#world.onNoted(this.id);
  }

  /** Read when somebody looks and more was printed since: what nobody asks about costs nothing. */
  #readProgress(): ProgressView | null {
    const { view } = this.life;
    if (this.hasEnded || !('pid' in view)) return null;
    const { bytes } = this.log;
    if (this.#progress?.atBytes !== bytes) {
      this.#progress = { atBytes: bytes, view: readLogProgress(this.log, this.attemptOffset) };
    }
    return this.#progress.view;
  }

  /** Nothing more will be known of it here. */
  get #isOver(): boolean {
    return this.hasEnded || this.#isReleased;
  }

  /** A caller waits in the foreground. A start in the background is awaited until it has come up. */
  get #isAwaited(): boolean {
    const { view } = this.life;
    if (view.status === 'pending') return view.isAwaited || view.starting;
    return view.status === 'restarting' ? view.isAwaited : view.status !== 'backgrounded';
  }

  #toQueuedEnvelope(parts: ResultParts): ResultEnvelope {
    return toQueuedEnvelope(parts, {
      holders: this.#world.slotHolders(this.plan.kind),
      now: this.#world.clock.epochMs(),
    });
  }

  /** Something is alive although it was killed: the end may never come. */
  get #hasSurvived(): boolean {
    const { view } = this.life;
    return view.status === 'stopping' && view.receipt !== null;
  }

  /** Resolves with the receipt of the stop, at the end or when something survived; `null` where nothing was stopped. */
  async #settled(): Promise<KillReceipt | null> {
    let survivedWith: KillReceipt | null = null;
    await this.#changes.until(() => {
      const { view } = this.life;
      survivedWith = view.status === 'stopping' ? view.receipt : null;
      return this.#isOver || survivedWith !== null;
    });
    const { view } = this.life;
    return 'receipt' in view ? view.receipt : survivedWith;
  }

  #take(announcement: ProcessAnnouncement): void {
    const { event, ...more } = toNote(announcement, this.life.view);
    this.note(event, more);
    if (announcement.type === 'process.restarting') this.log.markRestart();
    if (this.plan.ready !== null && beginsAnew.has(announcement.type)) this.#ready = { state: 'waiting' };
    if (announcement.type === 'process.ended') this.#end();
    if (announcement.type === 'process.survived' || announcement.type === 'process.backgrounded')
      this.#changed();
    else this.#showStatus();
    this.#world.onAnnouncement(this.id, announcement);
  }

  #end(): void {
    const { view } = this.life;
    // Somebody may still write: late output is taken in until the leftovers are gone or the process is forgotten.
    const isOpen = 'outputEnded' in view && (view.leftovers.length > 0 || !view.outputEnded);
    this.log.markEnd(isOpen ? 'keep' : 'flush');
    this.log.finish();
    this.#flushed = isOpen ? this.log.flush() : this.log.close();
  }

  /** An announcement comes before the step that it belongs to is complete: whichever is first shows the status. */
  #showStatus(): void {
    if (this.#shownStatus === this.status) return;
    this.#shownStatus = this.status;
    this.#changed();
  }

  #changed(): void {
    this.#changes.notify();
    this.#world.onChange();
  }

  get #guard() {
    return { onSubscriberError: (error: unknown) => this.#world.onFault(this.id, error) };
  }

  #toSecretRecipient(): SecretRecipient {
    const { id, commandLine, terminal, launch, output } = this.plan;
    return {
      id,
      commandLine,
      hasTerminal: terminal?.type === 'terminal',
      hasPipe: launch.stdin === 'pipe',
      writesOwnLog: output.direct,
      ended: this.#changes.until(() => this.#isOver),
      refuse: () => (this.#isOver ? describeNotRunning(this) : null),
      awaitedInput: () => this.awaitedInput(),
      hide: (secret) => this.log.addSecret(secret),
      write: (text) => this.write(text),
      paste: (text, { pressEnter }) => this.sendKeys({ text, paste: true, pressEnter }),
      note: (name) => this.note('secret written', { detail: name }),
    };
  }

  #askInput(toCommand: (reply: (result: WriteResult) => void) => BackendCommand): Promise<WriteResult> {
    const error = describeNotRunning(this);
    return this.#askBody(toCommand, { ok: false, bytesWritten: 0, code: 'notRunning', error });
  }

  #askBody<Answer>(
    toCommand: (reply: (answer: Answer) => void) => BackendCommand,
    otherwise: Answer,
  ): Promise<Answer> {
    return new Promise((resolve) => {
      if (this.hasEnded || !this.life.sendToBackend(toCommand(resolve))) resolve(otherwise);
    });
  }
}

function describeNotRunning({ id, status }: SupervisedProcess): string {
  return `Process ${id} is not running (status ${status}).`;
}

function wasReleased(id: string): KillAnswer {
  const message =
    `Process ${id} was not ended: its supervisor is shut down and has left it running, as it is persistent. ` +
    'The next supervisor of the state directory can end it, or: troupe kill.';
  return { type: 'notRunning', message };
}

/** With these, what was ready is not any more. */
const beginsAnew = new Set<ProcessAnnouncement['type']>([
  'process.started',
  'process.stopping',
  'process.restarting',
]);

function toBytes(data: string | Uint8Array): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  if (data instanceof Uint8Array) return data;
  const message = `write: the data is ${typeof data}; expected text or a Uint8Array.`;
  throw new TroupeError({ code: 'invalid-option', message });
}
