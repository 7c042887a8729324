import { createRealClock } from '../clock/real-clock.ts';
import { conversationOptions } from '../config/conversation-options.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import type { Ask } from '../policy/authorize.ts';
import { createRandomId } from '../process/process-id.ts';
import { openToolHost } from '../tools/tool-host.ts';
import type { Conversation, ConversationOptions } from './conversation.ts';
import { toHandle } from './conversation-handle.ts';
import { type ConversationActor, ConversationLoop } from './conversation-loop.ts';
import { describeTools } from './describe-tools.ts';
import { type DigestReason, toDigest } from './digest.ts';
import { createEventStream, type EventStream } from './event-stream.ts';
import { createMemory, type Memory } from './memory.ts';
import { createOwnProcesses } from './own-processes.ts';
import { shortenTranscript } from './shorten-transcript.ts';

/** The number of compactions for one step: enough for a thirtieth of the transcript. */
const MAX_COMPACTIONS = 5;

type ToDigestMessage = (because: DigestReason) => ChatMessage;

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
): { conversation: Conversation; actor: ConversationActor } {
  const settings = parseOptions(conversationOptions, { input: options, name: 'createConversation' });
  const { supervisor, journal = null, parent } = options;
  const { id = `conv_${createRandomId()}` } = settings;
  const clock = options.clock ?? createRealClock();
  const { events$, emit, complete } = createEventStream(options.onEvent);
  const host = openToolHost({
    ...{ supervisor, owner: id, tools: options.tools, policy: options.policy, clock },
    agent: options.agent ?? id,
    ask: options.ask === undefined ? null : toAsk(options.ask, emit),
    notices: 'wake',
    mailbox: () => loop.reader,
  });
  const descriptions = describeTools(host.tools);

  const memory = createMemory({
    journal,
    clock,
    onFailure: (error) => emit({ type: 'journal.failed', error }),
    onRecovery: () => emit({ type: 'journal.recovered' }),
  });
  const own = createOwnProcesses(supervisor, id);
  const leaveParent = parent === undefined ? () => {} : supervisor.adopt(id, { parent });
  const toDigestMessage: ToDigestMessage = (because) => ({
    role: 'notice',
    completionIds: [],
    text: toDigest(own.alive(), because),
  });
  beginTranscript(memory, { systemPrompt: options.systemPrompt, toDigestMessage });

  const loop = new ConversationLoop({
    ...{ options, settings, maxCompactions, clock, host, descriptions, memory, own, emit },
    toDigestMessage,
  });
  // Opens the mailbox: the ends that were not delivered arrive.
  void host.mailbox;
  const ended = new Promise<void>((resolve) => {
    loop.actor.subscribe({
      complete: () => {
        const closed = host.close();
        leaveParent();
        memory.close();
        complete();
        resolve(closed);
      },
    });
  });
  loop.actor.start();
  const shorten = (keepMessages: number, summary: string | null) =>
    shortenNow(memory, {
      keepMessages,
      toDigestMessage: () => toDigestMessage({ type: 'shortened', summary }),
      emit,
    });
  return { conversation: toHandle(loop, { id, memory, events$, ended, shorten }), actor: loop.actor };
}

function toAsk(ask: Ask, emit: EventStream['emit']): Ask {
  return async (question, signal) => {
    emit({ type: 'permission.asked', question });
    return (await ask(question, signal)) ?? false;
  };
}

/** Puts the system prompt first, and into a restored transcript a digest of what is alive. */
function beginTranscript(
  memory: Memory,
  {
    systemPrompt,
    toDigestMessage,
  }: { readonly systemPrompt: string | undefined; readonly toDigestMessage: ToDigestMessage },
): void {
  const isRestored = memory.transcript.length > 0;
  const prompted = withSystemPrompt(memory.transcript, systemPrompt);
  if (prompted !== null) memory.replaceAll(prompted);
  if (isRestored) memory.record(toDigestMessage({ type: 'resumed' }));
}

function shortenNow(
  memory: Memory,
  { emit, ...shortening }: Parameters<typeof shortenTranscript>[1] & { readonly emit: EventStream['emit'] },
): number {
  const shorter = shortenTranscript(memory.transcript, shortening);
  if (shorter === null) return 0;
  memory.replaceAll(shorter.messages);
  emit({ type: 'transcript.shortened', removed: shorter.removed, emptied: 0 });
  return shorter.removed;
}

/** Returns the transcript with this prompt at its front; `null` when it has it already. */
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
