import { formatDuration } from '../../config/duration.ts';
import type { ConversationEvent, TurnOutcome } from '../../conversation/conversation-event.ts';
import type { ChatMessage } from '../../models/chat-model.ts';
import { toMarked } from './margin.ts';
import { renderNotice } from './notice.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import { createTextFlow } from './text-flow.ts';
import { renderToolAnswer, renderToolCall } from './tool-lines.ts';

/** Renders a conversation as it happens. */
export interface Narrator {
  /** Returns the finished rows of an event. */
  render(event: ConversationEvent): readonly string[];
  /** Unfinished row: streamed text, or the pending work. Empty while the agent is idle. */
  readonly openRow: string;
}

export interface NarratorOptions {
  readonly page: Page;
  /** Renders the user's messages as well; not needed where they were typed on the same screen. */
  readonly showsUserMessages: boolean;
}

/** Creates a narrator, which keeps the open row between events and writes nothing itself. */
export function createNarrator({ page, showsUserMessages }: NarratorOptions): Narrator {
  const flow = createTextFlow(page);
  const calls = new Map<string, string>();
  let isThinking = false;
  /** Part of the current message has been rendered. */
  let isStreaming = false;

  const toRows = (event: ConversationEvent): readonly string[] => {
    switch (event.type) {
      case 'turn.started':
        isThinking = true;
        return event.because === 'resumption' ? remark('Continuing the interrupted turn.', page) : [];
      case 'text.written':
        isStreaming = true;
        return flow.push(event.text);
      case 'text.discarded':
        isStreaming = false;
        return [...flow.end(), ...remark('The reply was interrupted; its text is discarded.', page)];
      case 'message.recorded':
        return renderMessage(event.message);
      case 'tool.called':
        calls.set(event.call.id, toPrintable(event.call.name));
        return renderToolCall(event.call, page);
      case 'tool.answered':
        calls.delete(event.call.id);
        return renderToolAnswer(event, page);
      case 'model.failed':
        return trouble(`The model failed: ${event.error} Retrying in ${formatDuration(event.inMs)}.`, page);
      case 'journal.failed':
        return trouble(`The conversation cannot be saved: ${event.error} Retrying.`, page);
      case 'journal.recovered':
        return remark('The conversation is saved again, with nothing missing.', page);
      case 'compaction.started':
        return event.because === 'request'
          ? []
          : remark('The conversation is long and is being shortened.', page);
      case 'compaction.failed':
        return trouble(event.error, page);
      case 'transcript.shortened':
        return remark(describeShortening(event), page);
      case 'turn.ended':
        isThinking = false;
        calls.clear();
        return [...flow.end(), ...renderOutcome(event.outcome, page)];
      default:
        return [];
    }
  };

  const renderMessage = (message: ChatMessage): readonly string[] => {
    switch (message.role) {
      case 'user':
        return showsUserMessages ? renderUserMessage(message.text, page) : [];
      case 'notice':
        return ['', ...renderNotice(message.text, page)];
      case 'assistant': {
        const rows = [...(isStreaming ? [] : flow.push(message.text)), ...flow.end()];
        isStreaming = false;
        return rows;
      }
      default:
        return [];
    }
  };

  return {
    render: toRows,
    get openRow() {
      if (flow.open !== '') return flow.open;
      if (calls.size > 0) return page.paint('dim', `  ${[...calls.values()].join(', ')} …`);
      return isThinking ? page.paint('dim', '  thinking …') : '';
    },
  };
}

function describeShortening({ removed, emptied }: { removed: number; emptied: number }): string {
  const what = [
    ...(removed > 0 ? [`${removed} older ${removed === 1 ? 'message' : 'messages'}`] : []),
    ...(emptied > 0 ? [`the output of ${emptied} ${emptied === 1 ? 'call' : 'calls'}`] : []),
  ];
  return `Removed from the model's context: ${what.join(' and ') || 'parts of older messages'}.`;
}

/** Renders a message of the user. */
export function renderUserMessage(text: string, page: Page): readonly string[] {
  return ['', ...toMarked({ voice: 'you', text: toPrintable(text), style: 'bold' }, page)];
}

function renderOutcome(outcome: TurnOutcome, page: Page): readonly string[] {
  switch (outcome.type) {
    case 'answered':
      return outcome.text.trim() === '' ? remark('The agent sent an empty answer.', page) : [];
    case 'stepLimit':
      return trouble(
        `Stopped after ${outcome.maxSteps} steps. Say "go on", or raise --limits.max_steps.`,
        page,
      );
    case 'failed':
      return trouble(`The agent could not answer: ${outcome.error}`, page);
    case 'interrupted':
      return trouble('Interrupted.', page);
    case 'closed':
      return [];
  }
}

function trouble(text: string, page: Page): string[] {
  return toMarked({ voice: 'trouble', text: toPrintable(text), style: 'red' }, page);
}

function remark(text: string, page: Page): string[] {
  return toMarked({ voice: 'remark', text: toPrintable(text), style: 'dim' }, page);
}
