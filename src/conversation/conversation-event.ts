import type { CompactionReason } from '../../machines/conversation/events.ts';
import type { ChatMessage, ToolCall } from '../models/chat-model.ts';
import type { PermissionQuestion } from '../policy/authorize.ts';
import type { ToolAnswer } from '../tools/tool.ts';

/** Result of a turn, which lasts from the first entry of the mailbox until there is nothing left to do. */
export type TurnOutcome =
  | { readonly type: 'answered'; readonly text: string }
  /** The model wanted to continue. */
  | { readonly type: 'stepLimit'; readonly maxSteps: number }
  | { readonly type: 'failed'; readonly error: string }
  | { readonly type: 'interrupted' }
  | { readonly type: 'closed' };

/** Event of a conversation; events are published in the order in which they happen. */
export type ConversationEvent =
  /** `resumption`: the turn was under way when the program ended. */
  | { readonly type: 'turn.started'; readonly because: 'message' | 'notice' | 'resumption' }
  /** A piece of text, as the model writes it; the whole comes with `message.recorded`. */
  | { readonly type: 'text.written'; readonly text: string }
  /** The text since the last recorded message will not be recorded: the model failed in the middle. */
  | { readonly type: 'text.discarded' }
  | { readonly type: 'message.recorded'; readonly message: ChatMessage }
  | { readonly type: 'permission.asked'; readonly question: PermissionQuestion }
  | { readonly type: 'tool.called'; readonly call: ToolCall }
  | { readonly type: 'tool.answered'; readonly call: ToolCall; readonly answer: ToolAnswer }
  /** The agent has learned of this end from a tool's answer. */
  | { readonly type: 'notice.withdrawn'; readonly completionId: string }
  /** The model failed, and is asked again after `inMs`. */
  | {
      readonly type: 'model.failed';
      readonly error: string;
      readonly attempt: number;
      readonly inMs: number;
    }
  /** The transcript could not be written; the conversation continues in memory, and the missing part is written as soon as possible. */
  | { readonly type: 'journal.failed'; readonly error: string }
  /** The whole transcript is in the journal again. */
  | { readonly type: 'journal.recovered' }
  /** The transcript is being made shorter: the model does not take it, it has outgrown its limit, or the host or a person asked for it. */
  | { readonly type: 'compaction.started'; readonly because: CompactionReason; readonly tokens: number }
  /** The `compact` of the host could not be used; the default takes its place. */
  | { readonly type: 'compaction.failed'; readonly error: string }
  /** `removed`: the number of removed messages. `emptied`: the number of calls whose output was removed. */
  | { readonly type: 'transcript.shortened'; readonly removed: number; readonly emptied: number }
  | { readonly type: 'turn.ended'; readonly outcome: TurnOutcome };
