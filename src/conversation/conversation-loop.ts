import { type ActorRefFrom, createActor, type SnapshotFrom, waitFor } from 'xstate';
import type { ConversationInput, MailboxItem } from '../../machines/conversation/context.ts';
import type { ConversationEvent as ChartEvent } from '../../machines/conversation/events.ts';
import type { conversationMachine } from '../../machines/conversation/machine.ts';
import type { Clock } from '../clock/clock.ts';
import type { ConversationSettings } from '../config/conversation-options.ts';
import { toError } from '../config/error-text.ts';
import { toAttention } from '../mailbox/attention.ts';
import type { Mailbox, MailboxReader } from '../mailbox/mailbox.ts';
import type { MailboxEntry } from '../mailbox/mailbox-entry.ts';
import { isKnown, type MailboxChange } from '../mailbox/mailbox-state.ts';
import type { ChatMessage, ToolDescription } from '../models/chat-model.ts';
import type { OpenedToolHost } from '../tools/tool-host.ts';
import { type Compactor, createCompactor } from './compactor.ts';
import type { ConversationOptions } from './conversation.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { DigestReason } from './digest.ts';
import type { Memory } from './memory.ts';
import { createModelRunner } from './model-runner.ts';
import type { OwnProcesses } from './own-processes.ts';
import { provideConversationEffects } from './provide-effects.ts';
import { createToolRunner } from './tool-runner.ts';
import { createTurns, type Turns } from './turns.ts';

/** The longest pause before a retry, while a person waits and while none does. */
const MAX_BACKOFF_MS = 30_000;
const MAX_NOTICE_BACKOFF_MS = 300_000;

export type ConversationActor = ActorRefFrom<typeof conversationMachine>;
export type ConversationSnapshot = SnapshotFrom<typeof conversationMachine>;

export interface LoopDeps {
  readonly options: ConversationOptions;
  readonly settings: ConversationSettings;
  readonly maxCompactions: number;
  readonly clock: Clock;
  readonly host: OpenedToolHost;
  readonly descriptions: readonly ToolDescription[];
  readonly memory: Memory;
  readonly own: OwnProcesses;
  toDigestMessage(because: DigestReason): ChatMessage;
  emit(event: ConversationEvent): void;
}

/** The chart of a conversation, the parts that perform its effects, and the mailbox that feeds it. */
export class ConversationLoop {
  /** Not started. */
  readonly actor: ConversationActor;
  /** The reader of its mailbox, which passes each change on to the chart. */
  readonly reader: MailboxReader;
  readonly turns: Turns;
  readonly compactor: Compactor;
  readonly #memory: Memory;
  readonly #own: OwnProcesses;
  readonly #host: OpenedToolHost;

  constructor(deps: LoopDeps) {
    const { host, options, settings, clock, memory, own, emit } = deps;
    this.#host = host;
    this.#memory = memory;
    this.#own = own;
    const tell = (fact: ChartEvent) => this.tell(fact);
    const report = (error: unknown) => this.#report(error);
    const parts = { memory, clock, emit, tell, report };
    const compactor = createCompactor({
      ...parts,
      compact: options.compact,
      maxContextTokens: settings.maxContextTokens ?? Number.POSITIVE_INFINITY,
      maxMessages: settings.maxMessages ?? Number.POSITIVE_INFINITY,
      toDigestMessage: () => deps.toDigestMessage({ type: 'shortened', summary: null }),
    });
    this.compactor = compactor;
    const { model } = options;
    const { descriptions } = deps;
    const modelRunner = createModelRunner({ ...parts, model, descriptions, isTooLong: compactor.isDue });
    const { maxSteps, maxParallelTools } = settings;
    const onDelivered: Mailbox['delivered'] = (ids) => host.delivered(ids);
    this.turns = createTurns({ ...parts, maxSteps, modelRunner, onDelivered });
    const machine = provideConversationEffects({
      ...{ clock, modelRunner, compactor, own, emit, report },
      turns: this.turns,
      toolRunner: createToolRunner({ ...parts, host, maxParallelTools }),
      areGone: () => this.#areGone(),
      newOwner: options.parent ?? null,
      send: tell,
    });
    const { inspect } = options.supervisor;
    this.actor = createActor(machine, {
      id: host.owner,
      input: toChartInput(deps),
      ...(inspect && { inspect }),
    });
    this.reader = {
      store: memory.mailbox,
      attention: (view) => toAttention(view, { inTurn: this.turns.isRunning, rule: options.attention }),
      accepts: () => this.isOpen,
      onChange: (change) => this.#passOn(change),
    };
  }

  get isOpen(): boolean {
    return this.actor.getSnapshot().matches('open');
  }

  /** Sends an event to the chart; after the end of the conversation it is dropped. */
  tell(event: ChartEvent): void {
    if (this.actor.getSnapshot().status === 'active') this.actor.send(event);
  }

  /** Adds an entry to the mailbox. Returns `false` where the conversation is over, or has it already. */
  takeIn(entry: MailboxEntry): boolean {
    return this.isOpen && this.#host.mailbox.add(entry);
  }

  /** Resolves when the snapshot fits, or the conversation is over. */
  async until(fits: (snapshot: ConversationSnapshot) => boolean): Promise<void> {
    await waitFor(this.actor, () => this.satisfies(fits));
  }

  /** Returns `true` if the current snapshot fits, or the conversation is over. */
  satisfies(fits: (snapshot: ConversationSnapshot) => boolean): boolean {
    const snapshot = this.actor.getSnapshot();
    return snapshot.status !== 'active' || fits(snapshot);
  }

  /** Resolves when the ends of all processes that have ended are in the mailbox. */
  arrived(): Promise<void> {
    return this.#host.mailbox.arrived();
  }

  #areGone(): boolean {
    return this.#own.areGone((completionId) => isKnown(this.#memory.mailbox.state, completionId));
  }

  /** Passes a change of the mailbox on to the chart. */
  #passOn(change: MailboxChange): void {
    const { actor } = this;
    if (change.type === 'arrived') actor.send({ type: 'mailbox.arrived', item: toMailboxItem(change.entry) });
    else if (change.ids.length > 0) actor.send({ type: 'mailbox.withdrawn', ids: change.ids });
    const isFinishing = actor.getSnapshot().matches({ open: { loop: { waiting: 'forProcesses' } } });
    if (isFinishing && this.#areGone()) this.tell({ type: 'processes.gone' });
  }

  #report(error: unknown): void {
    process.emitWarning(toError(error));
    // Later: the chart may be in the middle of a step.
    queueMicrotask(() => this.tell({ type: 'conversation.broke' }));
  }
}

function toChartInput({ settings, maxCompactions, memory }: LoopDeps): ConversationInput {
  const { maxSteps, retry } = settings;
  return {
    limits: {
      maxSteps,
      maxRetries: retry.maxRetries,
      maxNoticeRetries: Math.max(retry.maxRetries, retry.maxNoticeRetries),
      minBackoffMs: retry.minBackoff,
      maxBackoffMs: MAX_BACKOFF_MS,
      maxNoticeBackoffMs: MAX_NOTICE_BACKOFF_MS,
      maxCompactions,
    },
    mailbox: [...memory.mailbox.state.waiting.values()].map(toMailboxItem),
    isUnfinished: memory.isUnfinished,
  };
}

/** Returns an entry as the chart sees it, which decides without knowing the words. */
function toMailboxItem({ id, kind, attention }: MailboxEntry): MailboxItem {
  return { id, kind, attention };
}
