import type { NatsConnection } from '@nats-io/transport-node';
import type { BackendCommand } from '../../../machines/process/events.ts';
import type { BackendPort, ToldFact } from '../backend.ts';
import type { AttemptName } from './protocol.ts';
import { refuse, type WorkerCommand, WorkerLink } from './worker-link.ts';

/** Facts that answer commands without a reply. */
const answerTo: Partial<Record<BackendCommand['type'], ToldFact['type']>> = {
  'tree.end': 'tree.gone',
  'tree.survey': 'tree.surveyed',
  'output.settle': 'output.quieted',
};

/** Facts that follow from commands. In an old log they are of an earlier asker. */
export const consequences: ReadonlySet<ToldFact['type']> = new Set<ToldFact['type']>([
  ...Object.values(answerTo),
  ...(['tree.seen', 'process.signalled'] as const),
]);

/** Commands to an attempt: they wait until its worker is known, go there, and are answered here once nothing of it is there. */
export class AttemptCommands {
  readonly #tell: BackendPort['tell'];
  /** `null` while no worker is known. */
  #link: WorkerLink | null = null;
  /** Commands from before a worker was known. */
  #waiting: WorkerCommand[] = [];
  /** Commands whose answer is a fact that has not come: the worker may die between taking one and its answer. */
  readonly #unanswered = new Map<ToldFact['type'], BackendCommand>();
  #isGone = false;
  #isLost = false;
  #isClosed = false;

  constructor(tell: BackendPort['tell']) {
    this.#tell = tell;
  }

  get hasWorker(): boolean {
    return this.#link !== null;
  }

  /** True once nothing of the attempt is on its worker any more, its start has failed, or it is lost. */
  get isGone(): boolean {
    return this.#isGone;
  }

  execute(command: WorkerCommand): void {
    const answer = answerTo[command.type];
    if (answer !== undefined) this.#unanswered.set(answer, command);
    this.#send(command);
  }

  /** Names the worker that has the attempt, and sends it the commands that waited. */
  follow(
    connection: NatsConnection,
    { worker, name }: { readonly worker: string; readonly name: AttemptName },
  ): void {
    this.#link = new WorkerLink(connection, {
      ...{ worker, name },
      onGone: (command) => this.#answerGone(command),
    });
    for (const command of this.#waiting.splice(0)) this.#send(command);
  }

  /** Takes a fact as the answer to a command. */
  noteFact(type: ToldFact['type']): void {
    this.#unanswered.delete(type);
  }

  /** Says that nothing of the attempt is on its worker. `isLost`: its end is unknown, and so is whether anything of it is alive. */
  setGone({ isLost }: { readonly isLost: boolean }): void {
    this.#isGone = true;
    this.#isLost ||= isLost;
    this.#link?.end();
  }

  /** Answers what has no answer yet. */
  answerAll(): void {
    for (const command of [...this.#waiting.splice(0), ...this.#unanswered.values()])
      this.#answerGone(command);
  }

  /** Answers nothing more. With `releases`, tells the worker that the attempt is followed no longer. */
  close({ releases }: { readonly releases: boolean }): void {
    this.#isClosed = true;
    if (releases && !this.#isGone) this.#link?.release();
  }

  #send(command: WorkerCommand): void {
    if (this.#isGone) this.#answerGone(command);
    else if (this.#link === null) this.#waiting.push(command);
    else this.#link.send(command);
  }

  /** Answers as a process that has ended with everything it started. Of a lost one nothing is proven. */
  #answerGone(command: BackendCommand): void {
    const answer = answerTo[command.type];
    const isAnswered = answer !== undefined && !this.#unanswered.delete(answer);
    if (this.#isClosed || isAnswered) return;
    switch (command.type) {
      case 'tree.end':
        return this.#isLost ? undefined : this.#tell({ type: 'tree.gone', ended: [] });
      case 'tree.survey':
        return this.#tell({ type: 'tree.surveyed', leftovers: [] });
      case 'output.settle':
        return this.#tell({ type: 'output.quieted' });
      default:
        refuse(command, 'It has ended, and nothing of it is on its worker.');
    }
  }
}
