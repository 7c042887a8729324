import type { Conversation } from '../../src/conversation/conversation.ts';
import { ModelError } from '../../src/models/model-error.ts';
import type { ScriptedRun } from '../../src/testing/scripted-backend.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { BACKOFF_MS, type ConversationModelEvent, WAIT_MS } from './conversation-model.ts';
import { eventually } from './eventually.ts';
import type { HeldCompaction } from './held-compaction.ts';
import type { HeldModel } from './held-model.ts';
import type { HeldTool } from './held-tool.ts';

/** Parts of a conversation on which a path is walked. */
export interface ConversationScene {
  readonly conversation: Conversation;
  readonly model: HeldModel;
  readonly tool: HeldTool;
  readonly compaction: HeldCompaction;
  readonly clock: VirtualClock;
  /** Process of the conversation. */
  readonly run: ScriptedRun;
  /** Makes every later timer of the clock fail. */
  breakClock(): void;
  /** Lets the end of the conversation wait for the kill of its process. */
  readonly kill: { readonly isAsked: boolean; allow(): void; fail(): void };
  /** Schedules of the conversation. */
  readonly reminders: { tell(id: string): void; cancel(id: string): void };
  isClosing(): boolean;
  /** Id of an mailbox entry in this run. */
  nameOf(modelId: string): string;
  rename(modelId: string): string;
  hasHeard(type: ConversationModelEvent['type']): boolean;
}

type Deed<E> = (scene: ConversationScene, event: E) => Promise<void> | void;
type Driver = {
  readonly [Type in ConversationModelEvent['type']]: Deed<Extract<ConversationModelEvent, { type: Type }>>;
};

/** Actions that bring an event about, never by sending it. */
export const conversationDriver: Driver = {
  'mailbox.arrived': ({ conversation, rename, reminders }, { item: { id, kind, attention } }) => {
    if (kind === 'message') void conversation.say('Go on.');
    else if (attention === 'turn') reminders.tell(rename(id));
    else conversation.notify({ id: rename(id), source: 'a test', text: id, attention });
  },
  'mailbox.withdrawn': ({ nameOf, reminders }, { ids }) => ids.map(nameOf).forEach(reminders.cancel),
  'mailbox.gathered': () => {},
  'model.replied': ({ model }, { calls }) => model.reply(calls),
  'model.failed': ({ model }, { isRetryable, retryAfterMs }) =>
    model.fail(
      new ModelError({ failure: isRetryable ? 'unavailable' : 'refused', message: 'No.', retryAfterMs }),
    ),
  'context.exceeded': ({ model }) => model.fail(new ModelError({ failure: 'tooLong', message: 'Too long.' })),
  'compaction.settled': async ({ compaction }, { isWorthAsking }) => {
    await eventually(() => compaction.isHeld, { what: 'a shorter transcript is wanted', on: 'scripts' });
    compaction.settle({ isShorter: isWorthAsking });
  },
  'calls.settled': async ({ tool, nameOf }, { revealed }) => {
    await eventually(() => tool.isHeld, { what: 'the tool is called', on: 'scripts' });
    tool.answer(revealed.map(nameOf));
  },
  'processes.gone': ({ run }) => run.exit(),
  'turn.interrupt': ({ conversation }) => void conversation.interrupt(),
  'conversation.compact': ({ conversation }) => void conversation.compact(),
  'conversation.finish': ({ conversation }, { waitMs }) =>
    void conversation.finish({ background: 'wait', wait: waitMs }),
  'conversation.close': ({ conversation }) => void conversation.close(),
  'conversation.broke': async ({ conversation, breakClock, isClosing, kill }) => {
    if (isClosing()) {
      await eventually(() => kill.isAsked, { what: 'its process is to be killed', on: 'scripts' });
      return kill.fail();
    }
    breakClock();
    void conversation.finish({ background: 'wait', wait: WAIT_MS });
  },
  'conversation.closed': ({ kill }) => kill.allow(),
  'deadline.retry': ({ clock, hasHeard }) => {
    clock.advance(BACKOFF_MS);
    if (!hasHeard('deadline.retry')) clock.advance(60_000);
  },
  'deadline.background': ({ clock }) => clock.advance(WAIT_MS),
};
