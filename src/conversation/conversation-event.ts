import type { ChatMessage, ToolCall } from '../models/chat-model.ts';
import type { ToolAnswer } from '../tools/tool.ts';

/** How a turn ended: from the first entry of the inbox to the moment when nothing is left to do. */
export type TurnOutcome =
  | { readonly type: 'answered'; readonly text: string }
  /** The model would have gone on. */
  | { readonly type: 'stepLimit'; readonly maxSteps: number }
  | { readonly type: 'failed'; readonly error: string }
  | { readonly type: 'closed' };

/** What happens in a conversation, in the order in which it happens. */
export type ConversationEvent =
  | { readonly type: 'turn.started'; readonly because: 'message' | 'completion' }
  /** A piece of text, as the model writes it; the whole comes with `message.recorded`. */
  | { readonly type: 'text.written'; readonly text: string }
  | { readonly type: 'message.recorded'; readonly message: ChatMessage }
  | { readonly type: 'tool.called'; readonly call: ToolCall }
  | { readonly type: 'tool.answered'; readonly call: ToolCall; readonly answer: ToolAnswer }
  /** The agent has read of this end in a tool's answer. */
  | { readonly type: 'notice.withdrawn'; readonly completionId: string }
  | { readonly type: 'turn.ended'; readonly outcome: TurnOutcome };
