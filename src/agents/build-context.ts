import type { AgentDefinition } from '../config/agent-file.ts';
import { shorten } from '../config/quote.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import type { DelegationContext } from './agent.ts';
import { toTask } from './first-message.ts';

/** A conversation of so few messages needs no summary: the delegate's task says it all. */
const MAX_UNSUMMARIZED = 4;
const MAX_SUMMARY_LENGTH = 4_000;
const MAX_LINE_LENGTH = 300;
const MAX_TASK_LENGTH = 2_000;

/** What an agent tells the one that it delegates to, beside the task. Keys without a value are left out. */
export function buildContext(given: {
  readonly definition: AgentDefinition;
  readonly transcript: readonly ChatMessage[];
  readonly facts: readonly string[];
  /** Of the delegate. */
  readonly depth: number;
}): DelegationContext {
  const { definition, transcript, facts, depth } = given;
  const said = transcript.findLast(({ role }) => role === 'user')?.text;
  const summary = summarize(transcript);
  return {
    parent_agent: definition.name,
    ...(said !== undefined && { parent_task: shorten(toTask(said), MAX_TASK_LENGTH) }),
    ...(summary !== null && { conversation_summary: summary }),
    ...(facts.length > 0 && { relevant_facts: facts }),
    depth,
  };
}

/** Who said what, a line each, the newest ones that have room. What went into tools and came out of them is left out. */
function summarize(transcript: readonly ChatMessage[]): string | null {
  const spoken = transcript.filter(({ role }) => role !== 'system');
  if (spoken.length <= MAX_UNSUMMARIZED) return null;
  const lines = spoken.flatMap(toLine);
  let room = MAX_SUMMARY_LENGTH;
  const kept = lines.toReversed().filter((line) => {
    room -= line.length + 1;
    return room >= 0;
  });
  const left = lines.length - kept.length;
  return [...(left > 0 ? [`(${left} earlier messages)`] : []), ...kept.toReversed()].join('\n');
}

function toLine(message: ChatMessage): readonly string[] {
  switch (message.role) {
    case 'user':
      return [`user: ${oneLine(toTask(message.text))}`];
    case 'assistant': {
      const calls = message.toolCalls.map(({ name }) => name).join(', ');
      const said = [message.text.trim(), calls === '' ? '' : `[calls ${calls}]`].filter(
        (part) => part !== '',
      );
      return said.length === 0 ? [] : [`agent: ${oneLine(said.join(' '))}`];
    }
    case 'notice':
      return ['notice: processes have ended'];
    default:
      return [];
  }
}

function oneLine(text: string): string {
  return shorten(text.trim().replaceAll(/\s+/g, ' '), MAX_LINE_LENGTH);
}
