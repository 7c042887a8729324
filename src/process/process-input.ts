import type { BackendCommand, WriteResult } from '../../machines/process/events.ts';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import { writeSecretOptions } from '../config/secret-source.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { createFixedResolver } from '../secrets/secret-resolver.ts';
import { type SecretOptions, type SecretRecipient, writeSecret } from '../secrets/write-secret.ts';
import type { ChangeSignal } from './change-signal.ts';
import { InputFeed } from './input-feed.ts';
import { createInputStream } from './input-stream.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { ProcessLife } from './process-life.ts';
import type { ProcessOrders } from './process-orders.ts';
import type { ProcessOutput } from './process-output.ts';
import type { ProcessPlan } from './process-plan.ts';
import { ProcessTerminal } from './process-terminal.ts';
import type { AwaitedInput } from './process-view.ts';
import type { Timeline } from './timeline.ts';

interface ProcessParts {
  readonly deps: ProcessDeps;
  readonly life: ProcessLife;
  readonly output: ProcessOutput;
  readonly timeline: Timeline;
  readonly changes: ChangeSignal;
  readonly orders: ProcessOrders;
}

/** The input of one process: its stdin, its terminal, secrets, and whether it waits for any of them. */
export class ProcessInput {
  readonly terminal: ProcessTerminal;
  readonly #plan: ProcessPlan;
  readonly #parts: ProcessParts;
  readonly #feed: InputFeed | null;
  #feeding: AbortController | null = null;
  #stream: WritableStream<string | Uint8Array> | null = null;
  #awaited: AwaitedInput | null = null;
  /** True once stdin of the current attempt was ended, or closed by the process. */
  #isEnded = false;

  constructor(plan: ProcessPlan, parts: ProcessParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.terminal = new ProcessTerminal(plan, parts);
    this.#feed = plan.input === null ? null : new InputFeed(plan.input);
  }

  /** True if the process has a terminal or an open stdin pipe. */
  get isAvailable(): boolean {
    const { size, stdin } = this.#plan.launch;
    return size !== null || (stdin === 'pipe' && !this.#isEnded);
  }

  /** Resets the input for a new attempt. Must be called before the backend runs. */
  beginAttempt(): void {
    this.#isEnded = false;
    this.terminal.beginAttempt();
  }

  /** Input that the process was last seen to wait for; `null` where it waits for none. */
  get awaited(): AwaitedInput | null {
    return this.#awaited;
  }

  setAwaited(awaited: AwaitedInput | null): void {
    this.#awaited = awaited;
    this.#parts.changes.notify();
  }

  /** Looks now. */
  lookForAwaited(): Promise<AwaitedInput | null> {
    return this.#parts.deps.lookForInput(this.#plan.id);
  }

  /** Begins to write the option `input` to the attempt that has just started. If its stream fails, the process is killed. */
  beginFeeding(): void {
    if (this.#feed === null) return;
    this.endFeeding();
    this.#feeding = new AbortController();
    const { signal } = this.#feeding;
    const stdin = {
      write: (data: string | Uint8Array) => this.write(data, { waits: true }),
      end: () => this.end(),
    };
    this.#feed.feed(stdin, signal).catch((error: unknown) => {
      if (signal.aborted) return;
      this.#parts.timeline.add('input.failed', { detail: toErrorText(error) });
      this.#parts.orders.stop({ by: 'supervisor', signal: 'SIGTERM' });
    });
  }

  /** Stops writing the option `input` to an attempt that has ended. */
  endFeeding(): void {
    this.#feeding?.abort();
  }

  /** Releases the option `input` of a process that has ended or was detached. */
  close(): void {
    this.endFeeding();
    this.#feed?.close();
  }

  /** Writes text or bytes. With `waits`, waits as long as the process does not read; see `process.write`. */
  write(
    data: string | Uint8Array,
    { waits = false }: { readonly waits?: boolean } = {},
  ): Promise<WriteResult> {
    const bytes = toBytes(data);
    this.#parts.deps.emit(this.#plan.id, { type: 'input.written' });
    const written = this.#ask((reply) => ({ type: 'process.write', data: bytes, waits, reply }));
    return written.then((result) => {
      if (!result.ok && result.code === 'closed') this.#noteEnd();
      return result;
    });
  }

  /** The stream that writes to stdin; a new one once it has ended or failed. */
  get stream(): WritableStream<string | Uint8Array> {
    const { life, changes } = this.#parts;
    this.#stream ??= createInputStream({
      write: (chunk) => this.write(chunk, { waits: true }),
      end: () => this.end(),
      over: changes.until(() => life.isOver).then(() => this.#describeNotRunning()),
      onDone: () => {
        this.#stream = null;
      },
    });
    return this.#stream;
  }

  async end(): Promise<WriteResult> {
    const result = await this.#ask((reply) => ({ type: 'process.endInput', reply }));
    if (result.ok) this.#noteEnd();
    return result;
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
        resolver: value === undefined ? this.#parts.deps.secrets : createFixedResolver(value),
      },
    );
  }

  async resize(size: TerminalSize): Promise<WriteResult> {
    const result = await this.terminal.resize(size);
    if (result.ok) {
      // The record needs the new size: an adopted process is restarted with it.
      this.#parts.deps.emit(this.#plan.id, { type: 'record.changed' });
      this.#parts.changes.notify();
    }
    return result;
  }

  #toSecretRecipient(): SecretRecipient {
    const { id, commandLine, terminal, launch, output } = this.#plan;
    const { life, changes, timeline } = this.#parts;
    return {
      id,
      commandLine,
      hasTerminal: terminal?.type === 'terminal',
      hasPipe: launch.stdin === 'pipe',
      writesOwnLog: output.direct,
      ended: changes.until(() => life.isOver),
      refuse: () => (life.isOver ? this.#describeNotRunning() : null),
      awaitedInput: () => this.lookForAwaited(),
      hide: (secret) => this.#parts.output.log.addSecret(secret),
      write: (text) => this.write(text),
      paste: (text, { pressEnter }) => this.terminal.sendKeys({ text, paste: true, pressEnter }),
      note: (name) => timeline.add('process.secretWritten', { detail: name }),
    };
  }

  #noteEnd(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#parts.changes.notify();
  }

  #ask(toCommand: (reply: (result: WriteResult) => void) => BackendCommand): Promise<WriteResult> {
    const error = this.#describeNotRunning();
    return this.#parts.life.ask(toCommand, { ok: false, bytesWritten: 0, code: 'notRunning', error });
  }

  #describeNotRunning(): string {
    return `Process ${this.#plan.id} is not running (status ${this.#parts.life.status}).`;
  }
}

function toBytes(data: string | Uint8Array): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  if (data instanceof Uint8Array) return data;
  const message = `write: the data is ${typeof data}; expected text or a Uint8Array.`;
  throw new TroupeError({ code: 'invalid-option', message });
}
