import { Subject } from 'rxjs';
import { type ActorRefFrom, createActor, type SnapshotFrom, waitFor } from 'xstate';
import type { InboxItem } from '../../machines/conversation/context.ts';
import type { ConversationEvent as ChartEvent } from '../../machines/conversation/events.ts';
import type { conversationMachine } from '../../machines/conversation/machine.ts';
import { createRealClock } from '../clock/real-clock.ts';
import {
  conversationOptions,
  finishOptions,
  notification,
  saying,
  shortenOptions,
} from '../config/conversation-options.ts';
import { toError } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { toAttention } from '../mailbox/attention.ts';
import type { Mailbox } from '../mailbox/mailbox.ts';
import type { MailboxEntry } from '../mailbox/mailbox-entry.ts';
import { isKnown, type MailboxChange } from '../mailbox/mailbox-state.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import { GuardedObservable } from '../output/guarded-observable.ts';
import { createGrants } from '../policy/grant.ts';
import { toPolicy } from '../policy/to-policy.ts';
import { createRandomId } from '../process/process-id.ts';
import { offerTools } from '../tools/offer-tools.ts';
import { processTools } from '../tools/tool-sets.ts';
import { createCompactor } from './compactor.ts';
import type { Conversation, ConversationOptions, ConversationStatus } from './conversation.ts';
import type { ConversationEvent } from './conversation-event.ts';
import { createConversationId } from './conversation-id.ts';
import { describeTools } from './describe-tools.ts';
import { type DigestReason, toDigest } from './digest.ts';
import { createMemory } from './memory.ts';
import { createModelRunner } from './model-runner.ts';
import { createOwnProcesses } from './own-processes.ts';
import { provideConversationEffects } from './provide-effects.ts';
import { shortenTranscript } from './shorten-transcript.ts';
import { createToolRunner } from './tool-runner.ts';
import { createTurns } from './turns.ts';

/** The longest pause before a retry, while a person waits and while none does. */
const MAX_BACKOFF_MS = 30_000;
const MAX_NOTICE_BACKOFF_MS = 300_000;

/** The number of messages that may wait for the agent. */
const MAX_WAITING_MESSAGES = 1_000;

/** The number of compactions for one step: enough for a thirtieth of the transcript. */
const MAX_COMPACTIONS = 5;

type Snapshot = SnapshotFrom<typeof conversationMachine>;

/**
 * @throws TroupeError `invalid-option`, also where JSON Schema cannot express the input of a tool; whatever a journal
 * throws that cannot be read.
 */
export function createConversation(options: ConversationOptions): Conversation {
  return openConversation(options).conversation;
}

/** Opens a conversation and also returns its actor, for tests. */
export function openConversation(
  options: ConversationOptions,
  { maxCompactions = MAX_COMPACTIONS }: { readonly maxCompactions?: number } = {},
): {
  conversation: Conversation;
  actor: ActorRefFrom<typeof conversationMachine>;
} {
  const settings = parseOptions(conversationOptions, { input: options, name: 'createConversation' });
  const { supervisor, model, systemPrompt, journal = null } = options;
  const { maxSteps, maxParallelTools, retry, id = createConversationId() } = settings;
  const clock = options.clock ?? createRealClock();
  const { policy, release: releasePolicy } = toPolicy(options.policy, { workspace: supervisor.cwd });
  const tools = offerTools(options.tools ?? processTools, policy);
  const descriptions = describeTools(tools);

  const events = new Subject<ConversationEvent>();
  const events$ = new GuardedObservable<ConversationEvent>(
    (subscriber) => events.subscribe(subscriber),
    (error) => process.emitWarning(toError(error), 'TroupeSubscriberWarning'),
  );
  const emit = (event: ConversationEvent) => {
    try {
      options.onEvent?.(event);
    } catch (error) {
      // It hears the next one all the same.
      process.emitWarning(toError(error), 'TroupeSubscriberWarning');
    }
    events.next(event);
  };

  const memory = createMemory({
    journal,
    clock,
    onFailure: (error) => emit({ type: 'journal.failed', error }),
    onRecovery: () => emit({ type: 'journal.recovered' }),
  });
  const own = createOwnProcesses(supervisor, id);
  const leaveParent =
    options.parent === undefined ? () => {} : supervisor.adopt(id, { parent: options.parent });
  const isRestored = memory.transcript.length > 0;
  const prompted = withSystemPrompt(memory.transcript, systemPrompt);
  if (prompted !== null) memory.replaceAll(prompted);
  if (isRestored) memory.record(toDigestMessage({ type: 'resumed' }));

  function toDigestMessage(because: DigestReason): ChatMessage {
    return { role: 'notice', completionIds: [], text: toDigest(own.alive(), because) };
  }

  const shortenNow = (keepMessages: number, summary: string | null) => {
    const shorter = shortenTranscript(memory.transcript, {
      keepMessages,
      toDigestMessage: () => toDigestMessage({ type: 'shortened', summary }),
    });
    if (shorter === null) return 0;
    memory.replaceAll(shorter.messages);
    emit({ type: 'transcript.shortened', removed: shorter.removed, emptied: 0 });
    return shorter.removed;
  };

  /** Sends a fact to the chart; after the end of the conversation it is dropped. */
  const tell = (fact: ChartEvent) => {
    if (actor.getSnapshot().status === 'active') actor.send(fact);
  };
  const report = (error: unknown) => {
    process.emitWarning(toError(error));
    // Later: the chart may be in the middle of a step.
    queueMicrotask(() => tell({ type: 'conversation.broke' }));
  };
  const deps = { memory, clock, emit, tell, report };
  const compactor = createCompactor({
    ...deps,
    compact: options.compact,
    maxContextTokens: settings.maxContextTokens ?? Number.POSITIVE_INFINITY,
    maxMessages: settings.maxMessages ?? Number.POSITIVE_INFINITY,
    toDigestMessage: () => toDigestMessage({ type: 'shortened', summary: null }),
  });
  const modelRunner = createModelRunner({ ...deps, model, descriptions, isTooLong: compactor.isDue });
  const onDelivered: Mailbox['delivered'] = (ids) => mailbox.delivered(ids);
  const turns = createTurns({ ...deps, maxSteps, modelRunner, onDelivered });
  const ask: ConversationOptions['ask'] = async (question, signal) => {
    emit({ type: 'permission.asked', question });
    return (await options.ask?.(question, signal)) ?? false;
  };
  const toolRunner = createToolRunner({
    ...deps,
    maxParallelTools,
    onDelivered,
    wiring: {
      tools,
      supervisor,
      owner: id,
      agent: options.agent ?? id,
      policy,
      clock,
      ask: options.ask === undefined ? null : ask,
      grants: createGrants(),
    },
  });
  const areGone = () => own.areGone((completionId) => isKnown(memory.mailbox.state, completionId));
  const machine = provideConversationEffects({
    clock,
    modelRunner,
    toolRunner,
    compactor,
    turns,
    own,
    areGone,
    emit,
    report,
    heir: options.parent ?? null,
    send: tell,
  });
  const actor = createActor(machine, {
    input: {
      limits: {
        maxSteps,
        maxRetries: retry.maxRetries,
        maxNoticeRetries: Math.max(retry.maxRetries, retry.maxNoticeRetries),
        minBackoffMs: retry.minBackoff,
        maxBackoffMs: MAX_BACKOFF_MS,
        maxNoticeBackoffMs: MAX_NOTICE_BACKOFF_MS,
        maxCompactions,
      },
      inbox: [...memory.mailbox.state.waiting.values()].map(toInboxItem),
      isUnfinished: memory.isUnfinished,
    },
  });

  const isFinishing = () => actor.getSnapshot().matches({ open: { loop: { waiting: 'forProcesses' } } });
  const isOpen = () => actor.getSnapshot().matches('open');
  const onChange = (change: MailboxChange) => {
    if (change.type === 'arrived') actor.send({ type: 'inbox.arrived', item: toInboxItem(change.entry) });
    else if (change.ids.length > 0) actor.send({ type: 'inbox.withdrawn', ids: change.ids });
    if (isFinishing() && areGone()) tell({ type: 'processes.gone' });
  };
  const mailbox = supervisor.mailbox(id, {
    store: memory.mailbox,
    attention: (view) => toAttention(view, { inTurn: turns.isRunning, rule: options.attention }),
    accepts: isOpen,
    onChange,
  });
  const takeIn = (entry: MailboxEntry) => isOpen() && mailbox.add(entry);

  const ended = new Promise<void>((resolve) => {
    actor.subscribe({
      complete: () => {
        mailbox.close();
        leaveParent();
        memory.close();
        events.complete();
        resolve(releasePolicy());
      },
    });
  });
  const until = (fits: (snapshot: Snapshot) => boolean) =>
    waitFor(actor, (snapshot) => snapshot.status !== 'active' || fits(snapshot));
  const close = () => {
    tell({ type: 'conversation.close' });
    return ended;
  };
  actor.start();

  const conversation: Conversation = {
    id,
    events$,
    close,
    [Symbol.asyncDispose]: close,
    get status() {
      return toStatus(actor.getSnapshot());
    },
    get transcript() {
      return [...memory.transcript];
    },
    say: async (given) => {
      const { text } = parseOptions(saying, { input: { text: given }, name: 'say' });
      if (turns.waiting >= MAX_WAITING_MESSAGES) throw inboxFull();
      const messageId = `message_${createRandomId()}`;
      const isTaken = takeIn({ kind: 'message', id: messageId, attention: 'turn', text });
      return isTaken ? turns.outcomeOf(messageId) : { type: 'closed' };
    },
    notify: (given) => {
      const news = parseOptions(notification, { input: given, name: 'notify' });
      const { id: newsId, source, text, attention } = news;
      if (attention === 'ignore') return false;
      return takeIn({ kind: 'notice', id: newsId, attention, part: { type: 'told', source, text } });
    },
    interrupt: async () => {
      if (!turns.isRunning) return false;
      tell({ type: 'turn.interrupt' });
      await until(() => !turns.isRunning);
      return true;
    },
    shorten: async (shortening) => {
      const { keepMessages, summary } = parseOptions(shortenOptions, { input: shortening, name: 'shorten' });
      await until(isIdle);
      return actor.getSnapshot().matches('open') ? shortenNow(keepMessages, summary ?? null) : 0;
    },
    compact: async () => {
      do await until(isResting);
      while (actor.getSnapshot().status === 'active' && !isResting(actor.getSnapshot()));
      if (!isResting(actor.getSnapshot())) return false;
      const settled = compactor.next();
      actor.send({ type: 'conversation.compact' });
      return settled;
    },
    idle: async () => void (await until(isIdle)),
    finish: async (finishing) => {
      const { background, wait } = parseOptions(finishOptions, { input: finishing, name: 'finish' });
      tell({ type: 'conversation.finish', waitMs: background === 'kill' ? 0 : wait });
      await ended;
      return turns.lastOutcome;
    },
  };
  return { conversation, actor };
}

/** The same for the chart, which decides without knowing the words. */
function toInboxItem({ id, kind, attention }: MailboxEntry): InboxItem {
  return { id, kind, attention };
}

function inboxFull(): TroupeError {
  const message =
    `say: ${MAX_WAITING_MESSAGES} messages wait for this agent already, and this one was not taken in. ` +
    'Wait for what an earlier "say" resolves with.';
  return new TroupeError({ code: 'inbox-full', message });
}

function isResting(snapshot: Snapshot): boolean {
  return snapshot.matches({ open: { loop: { idle: 'resting' } } });
}

/** No turn runs, and none is about to. */
function isIdle(snapshot: Snapshot): boolean {
  return isResting(snapshot) || snapshot.matches({ open: { loop: { waiting: 'forProcesses' } } });
}

function toStatus(snapshot: Snapshot): ConversationStatus {
  if (snapshot.matches('failed')) return 'failed';
  if (snapshot.matches('done') || snapshot.matches('closing')) return 'done';
  const loops = ['thinking', 'acting', 'waiting'] as const;
  return loops.find((loop) => snapshot.matches({ open: { loop } })) ?? 'idle';
}

/** The transcript with this prompt at its front; `null` when it has it already. */
function withSystemPrompt(
  transcript: readonly ChatMessage[],
  prompt: string | undefined,
): readonly ChatMessage[] | null {
  const [first] = transcript;
  const rest = first?.role === 'system' ? transcript.slice(1) : transcript;
  const current = first?.role === 'system' ? first.text : undefined;
  if (current === prompt) return null;
  return prompt === undefined ? rest : [{ role: 'system', text: prompt }, ...rest];
}
