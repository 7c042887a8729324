import { type Observable, Subject } from 'rxjs';
import { toError } from '../config/error-text.ts';
import type { ChatMessage, ChatModel } from '../models/chat-model.ts';
import { GuardedObservable } from '../output/guarded-observable.ts';
import type { Completion } from '../supervisor/runtime-event.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { processTools } from '../tools/process-tools.ts';
import type { Tool } from '../tools/tool.ts';
import type { ConversationEvent, TurnOutcome } from './conversation-event.ts';
import { createConversationId } from './conversation-id.ts';
import { describeTools } from './describe-tools.ts';
import { createInbox, type InboxEntry } from './inbox.ts';
import { type EndedProcess, tailReadBytes, toNotice } from './notice.ts';
import { runTurn } from './run-turn.ts';

export interface ConversationOptions {
  readonly supervisor: Supervisor;
  readonly model: ChatModel;
  /** Default: the set `process`. */
  readonly tools?: readonly Tool[];
  /** The first message, which the model gets before all others. */
  readonly systemPrompt?: string;
  /** How often the model may speak in one turn. Default 50. */
  readonly maxSteps?: number;
  /** The same as a subscription to `events$` before anything happens. */
  readonly onEvent?: (event: ConversationEvent) => void;
}

/**
 * An agent with a memory, and with processes of its own. It is woken by what is said to it and by the end of a process
 * that it started; each end is told to it once, or not at all when it has read of it already.
 */
export interface Conversation extends AsyncDisposable {
  /** The owner of its processes. */
  readonly id: string;
  /** Says something to the agent, now or at its next safe point. Resolves with the end of the turn that it became part of. */
  say(text: string): Promise<TurnOutcome>;
  /** What was said so far; a copy. */
  readonly transcript: readonly ChatMessage[];
  /** Resolves when the agent has nothing to do: no turn runs, and nothing waits that it would be woken for. */
  idle(): Promise<void>;
  /** What happens, from now on; completes with `close`. */
  readonly events$: Observable<ConversationEvent>;
  /** Ends the turn that runs, and the processes of this conversation. Afterwards nothing wakes it. */
  close(): Promise<void>;
}

/** @throws TroupeError `invalid-option` where JSON Schema cannot express the input of a tool. */
export function createConversation(options: ConversationOptions): Conversation {
  const { supervisor, model, tools = processTools, systemPrompt, maxSteps = 50 } = options;
  const descriptions = describeTools(tools);
  const id = createConversationId();
  const inbox = createInbox();
  const transcript: ChatMessage[] =
    systemPrompt === undefined ? [] : [{ role: 'system', text: systemPrompt }];
  const events = new Subject<ConversationEvent>();
  const events$ = new GuardedObservable<ConversationEvent>(
    (subscriber) => events.subscribe(subscriber),
    warn,
  );
  const closing = new AbortController();
  const { signal } = closing;
  /** Who waits for the end of a turn, by the id of the message that was said. */
  const waiting = new Map<string, (outcome: TurnOutcome) => void>();
  let inTurn: string[] = [];
  let running: Promise<void> | null = null;
  let messages = 0;
  if (options.onEvent !== undefined) events$.subscribe(options.onEvent);

  const wake = () => {
    if (running !== null || signal.aborted || !inbox.wakes) return;
    running = runWhileWoken().finally(() => {
      running = null;
      wake();
    });
  };

  const runWhileWoken = async () => {
    // Whatever happens in this turn of the event loop is one turn of the agent.
    await new Promise(setImmediate);
    while (inbox.wakes && !signal.aborted) await takeTurn();
  };

  const takeTurn = async () => {
    events.next({ type: 'turn.started', because: messages > 0 ? 'message' : 'completion' });
    const outcome = await runTurn({
      model,
      tools,
      descriptions,
      inbox,
      transcript,
      maxSteps,
      signal,
      context: { supervisor, owner: id },
      toMessages: (entries) => toMessages(entries, supervisor),
      onDrained: (entries) => {
        const said = entries.filter(({ type }) => type === 'message');
        messages -= said.length;
        inTurn.push(...said.map((entry) => entry.id));
      },
      emit: (event) => events.next(event),
    });
    events.next({ type: 'turn.ended', outcome });
    const ids = inTurn;
    inTurn = [];
    for (const messageId of ids) settle(messageId, outcome);
  };

  const settle = (messageId: string, outcome: TurnOutcome) => {
    waiting.get(messageId)?.(outcome);
    waiting.delete(messageId);
  };

  const completions = supervisor.completions$.subscribe((completion) => {
    if (completion.process.owner !== id) return;
    inbox.add({ type: 'completion', id: completion.id, completion });
    wake();
  });

  const end = async () => {
    closing.abort();
    completions.unsubscribe();
    await running;
    await Promise.all(ownIds().map((processId) => supervisor.kill(processId, { by: 'owner' })));
    for (const messageId of [...waiting.keys()]) settle(messageId, { type: 'closed' });
    events.complete();
  };
  let ending: Promise<void> | null = null;
  const close = () => {
    ending ??= end();
    return ending;
  };

  /** What is alive, and what has left something alive. */
  const ownIds = () =>
    supervisor
      .list({ owner: id })
      .filter((view) => !('leftovers' in view) || view.leftovers.length > 0)
      .map((view) => view.id);

  let said = 0;
  return {
    id,
    say: (text) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve({ type: 'closed' });
        said += 1;
        messages += 1;
        const messageId = `message_${said}`;
        waiting.set(messageId, resolve);
        inbox.add({ type: 'message', id: messageId, text });
        wake();
      }),
    get transcript() {
      return [...transcript];
    },
    idle: async () => {
      while (running !== null) await running;
    },
    events$,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Completions are one notice; each message stays in the words in which it was said. */
function toMessages(entries: readonly InboxEntry[], supervisor: Supervisor): readonly ChatMessage[] {
  const completions = entries.flatMap((entry) => (entry.type === 'completion' ? [entry.completion] : []));
  const said = entries.flatMap((entry) => (entry.type === 'message' ? [entry.text] : []));
  const notice: ChatMessage = {
    role: 'notice',
    completionIds: completions.map(({ id }) => id),
    text: toNotice(completions.map((completion) => toEnded(completion, supervisor))),
  };
  return [
    ...(completions.length > 0 ? [notice] : []),
    ...said.map((text): ChatMessage => ({ role: 'user', text })),
  ];
}

/** A process that is forgotten already has no tail; its log file may be there. */
function toEnded({ process }: Completion, supervisor: Supervisor): EndedProcess {
  const since = Math.max(0, process.output.bytes - tailReadBytes);
  const tail = supervisor.get(process.id)?.read({ since, maxBytes: tailReadBytes }).text ?? '';
  return { view: process, tail };
}

function warn(error: unknown): void {
  process.emitWarning(toError(error), 'TroupeSubscriberWarning');
}
