import type { AgentDefinition } from '../../config/agent-file.ts';
import type { ChatMessage, ChatModel } from '../../models/chat-model.ts';
import { shortenLines, toMarked } from '../render/margin.ts';
import { renderUserMessage } from '../render/narrator.ts';
import type { Page } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import { readVersion } from '../version.ts';

/** Who speaks, and what a person should know before the first word. */
export function renderOpening(
  chat: {
    readonly definition: AgentDefinition;
    readonly model: ChatModel;
    readonly remarks: readonly (string | null)[];
  },
  page: Page,
): readonly string[] {
  const { definition, model, remarks } = chat;
  const about = [definition.name, model.name].map((part) => toPrintable(part)).join(' · ');
  const title = `${page.paint('bold', `troupe ${readVersion()}`)} ${page.paint('dim', `· ${about}`)}`;
  const texts = remarks.filter((remark) => remark !== null);
  return [title, ...texts.flatMap((text) => toMarked({ voice: 'remark', text, style: 'dim' }, page))];
}

/** What was said last in a conversation that is gone on with. */
export function renderLastExchange(transcript: readonly ChatMessage[], page: Page): readonly string[] {
  const said = transcript.findLastIndex(({ role }) => role === 'user');
  const message = transcript[said];
  if (message === undefined) return [];
  const count = transcript.filter(({ role }) => role === 'user').length;
  const answer = transcript.slice(said).findLast((each) => each.role === 'assistant' && each.text !== '');
  const text = `Going on with a conversation of ${count} ${count === 1 ? 'message' : 'messages'}. The last one:`;
  return [
    ...toMarked({ voice: 'remark', text, style: 'dim' }, page),
    ...renderUserMessage(message.text, page),
    ...(answer === undefined ? [] : renderAnswer(answer.text, page)),
  ];
}

function renderAnswer(text: string, page: Page): readonly string[] {
  const rows = toMarked({ voice: 'agent', text: toPrintable(text.trim()) }, page);
  return shortenLines(rows, { first: 8, last: 4 });
}
