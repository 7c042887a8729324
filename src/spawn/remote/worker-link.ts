import type { NatsConnection } from '@nats-io/transport-node';
import type { BackendCommand, WriteResult } from '../../../machines/process/events.ts';
import { toErrorText } from '../../config/error-text.ts';
import { refuseScreen, refuseWrite } from '../refusals.ts';
import {
  type AttemptName,
  type ControlAnswer,
  type ControlRequest,
  encodeRequest,
  type SentCommand,
  subjects,
} from './protocol.ts';
import { pause } from './servers.ts';

/** Commands that go to a worker. */
export type WorkerCommand = Exclude<BackendCommand, { type: 'start.cancel' }>;

const ANSWER_MS = 5_000;
const RETRY_MS = 300;
/** Bytes of one request: the servers take a megabyte at most. */
const WRITE_BYTES = 256 * 1024;
/** A write may wait for the process to read for as long as it likes. */
const PATIENT_MS = 24 * 3_600_000;

/** Sends the commands of an attempt to the worker that has it. */
export class WorkerLink {
  readonly worker: string;
  readonly #connection: NatsConnection;
  readonly #name: AttemptName;
  readonly #onGone: (command: WorkerCommand) => void;
  #isOver = false;

  constructor(
    connection: NatsConnection,
    options: {
      readonly worker: string;
      readonly name: AttemptName;
      /** Called with each command that the worker cannot take any more. */
      readonly onGone: (command: WorkerCommand) => void;
    },
  ) {
    this.worker = options.worker;
    this.#connection = connection;
    this.#name = options.name;
    this.#onGone = options.onGone;
  }

  /** Sends a command; its outcome is a reply, or a fact in the log. */
  send(command: WorkerCommand): void {
    if (command.type === 'process.write') void this.#sendWrite(command);
    else void this.#send(command);
  }

  /** Says that the attempt is followed no longer. */
  release(): void {
    this.#connection.publish(this.#subject, this.#encode({ type: 'attempt.release' }));
  }

  /** Gives up: nothing of the attempt is on the worker. */
  end(): void {
    this.#isOver = true;
  }

  get #subject(): string {
    return subjects.control({ worker: this.worker, tenant: this.#name.tenant });
  }

  #encode(command: ControlRequest['command']): Uint8Array {
    const { id, attempt } = this.#name;
    return encodeRequest({ id, attempt, command });
  }

  /** A command without a reply is repeated until the worker has it; whether another one was executed may be unknown. */
  async #send(command: WorkerCommand): Promise<void> {
    const { reply, ...sent } = command as WorkerCommand & { readonly reply?: (answer: unknown) => void };
    const payload = this.#encode(sent as SentCommand);
    const timeout = command.type === 'process.write' && command.waits === true ? PATIENT_MS : ANSWER_MS;
    while (true) {
      if (this.#isOver || this.#connection.isClosed()) return this.#onGone(command);
      try {
        const message = await this.#connection.request(this.#subject, payload, { timeout });
        const answer = message.json<ControlAnswer>();
        if (answer.type === 'gone') return this.#onGone(command);
        if (answer.type === 'replied') reply?.(answer.reply);
        return;
      } catch (error) {
        if (reply !== undefined) return refuse(command, describeSilence(this.worker, error));
        await pause(RETRY_MS);
      }
    }
  }

  /** Sends bytes in pieces that the servers take, one after the other. */
  async #sendWrite(command: Extract<WorkerCommand, { type: 'process.write' }>): Promise<void> {
    const { data, reply } = command;
    let bytesWritten = 0;
    do {
      const piece = data.subarray(bytesWritten, bytesWritten + WRITE_BYTES);
      const { promise, resolve } = Promise.withResolvers<WriteResult>();
      void this.#send({ ...command, data: piece, reply: resolve });
      const result = await promise;
      bytesWritten += result.bytesWritten;
      if (!result.ok || result.bytesWritten < piece.byteLength) return reply({ ...result, bytesWritten });
    } while (bytesWritten < data.byteLength);
    reply({ ok: true, bytesWritten });
  }
}

function describeSilence(worker: string, error: unknown): string {
  return /no responders/i.test(toErrorText(error))
    ? `The worker ${worker} does not answer: it has ended, or the servers cannot reach it.`
    : `The worker ${worker} did not answer within ${ANSWER_MS / 1_000} s, so whether it was done is unknown: ${toErrorText(error)}.`;
}

/** Answers a command that has a reply with the reason why nothing was done. */
export function refuse(command: BackendCommand, error: string): void {
  switch (command.type) {
    case 'tree.signal':
    case 'tree.pause':
    case 'tree.resume':
      return command.reply({ ok: false, error });
    case 'terminal.capture':
      return command.reply(refuseScreen('notRunning', error));
    case 'process.write':
    case 'process.endInput':
    case 'process.resize':
    case 'terminal.sendKeys':
      command.reply(refuseWrite('broken', error));
  }
}
