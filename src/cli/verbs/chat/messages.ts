import type { Agent } from '../../../agents/agent.ts';
import type { AgentDefinition } from '../../../config/agent-file-schema.ts';
import type { ChatMessage, ChatModel } from '../../../models/chat-model.ts';
import type { ShutdownReport } from '../../../supervisor/shutdown-report.ts';
import type { Supervisor } from '../../../supervisor/supervisor.ts';
import { shortenLines, toMarked } from '../../render/margin.ts';
import { renderUserMessage } from '../../render/narrator.ts';
import { renderPromotion } from '../../render/notice.ts';
import type { Page } from '../../render/page.ts';
import { toPrintable } from '../../render/printable.ts';
import { readVersion } from '../../version.ts';
import type { ChatSession } from './chat-session.ts';
import type { Screen } from './plain-screen.ts';

/** Renders the name of the agent and of its model, followed by remarks. */
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

/** Renders the last message of a resumed conversation and its answer. */
export function renderLastExchange(transcript: readonly ChatMessage[], page: Page): readonly string[] {
  const last = transcript.findLastIndex(({ role }) => role === 'user');
  const message = transcript[last];
  if (message === undefined) return [];
  const count = transcript.filter(({ role }) => role === 'user').length;
  const answer = transcript.slice(last).findLast((each) => each.role === 'assistant' && each.text !== '');
  const text = `Resuming a conversation of ${count} ${count === 1 ? 'message' : 'messages'}. The last one:`;
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

/** Shows each process that moves to the background. */
export function showPromotions(
  supervisor: Supervisor,
  { screen, page }: { screen: Screen; page: Page },
): void {
  supervisor.events$.subscribe((event) => {
    if (event.type === 'process.backgrounded') screen.show({ rows: renderPromotion(event.process, page) });
  });
}

/** Shows warnings above the prompt instead of inside of it, until the returned function is called. Hidden warnings stay hidden. */
export function showWarnings({ screen, page }: { screen: Screen; page: Page }): () => void {
  const printers = process.listeners('warning');
  // `--no-warnings`.
  if (printers.length === 0) return () => {};
  const show = ({ message }: Error) =>
    screen.show({ rows: toMarked({ voice: 'trouble', text: toPrintable(message), style: 'yellow' }, page) });
  process.removeAllListeners('warning');
  process.on('warning', show);
  return () => {
    process.removeListener('warning', show);
    for (const printer of printers) process.on('warning', printer);
  };
}

/** Ends an agent with its processes. Shows their number, those that could not be ended, and how to resume. */
export async function closeAgent(
  agent: Agent,
  { screen, page, howToResume }: { screen: Screen; page: Page } & Pick<ChatSession, 'howToResume'>,
): Promise<void> {
  const { conversation, supervisor } = agent;
  const showRemark = (text: string) =>
    screen.show({ rows: toMarked({ voice: 'remark', text, style: 'dim' }, page) });
  const live = supervisor.list({ live: true }).length;
  let report: ShutdownReport | null = null;
  supervisor.events$.subscribe((event) => {
    if (event.type === 'supervisor.stopped') report = event.report;
  });
  screen.show({ rows: [''] });
  if (live > 0) showRemark(`Ending ${count(live, 'process', 'processes')} …`);
  await agent.close();
  const survivors = (report as ShutdownReport | null)?.survivors ?? [];
  if (survivors.length > 0) {
    const text = `Could not be ended: ${survivors.map(({ id, members }) => `${id} (pid ${members.map(({ pid }) => pid).join(', ')})`).join('; ')}.`;
    screen.show({ rows: toMarked({ voice: 'trouble', text, style: 'red' }, page) });
  } else if (live > 0) showRemark('Nothing is left running.');
  const next = howToResume();
  if (next !== null && conversation.transcript.some(({ role }) => role === 'user')) showRemark(next);
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
