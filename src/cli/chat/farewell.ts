import type { Agent } from '../../agents/agent.ts';
import type { ShutdownReport } from '../../supervisor/shutdown-report.ts';
import { toMarked } from '../render/margin.ts';
import type { Page } from '../render/page.ts';
import type { Screen } from './screen.ts';
import type { Talk } from './talk.ts';

/** Ends an agent with its processes, and says what was ended, what could not be, and how to go on. */
export async function bidFarewell(
  agent: Agent,
  { screen, page, howToGoOn }: { screen: Screen; page: Page } & Pick<Talk, 'howToGoOn'>,
): Promise<void> {
  const { conversation, supervisor } = agent;
  const tell = (text: string) =>
    screen.show({ rows: toMarked({ voice: 'remark', text, style: 'dim' }, page) });
  const live = supervisor.list({ live: true }).length;
  let report: ShutdownReport | null = null;
  supervisor.events$.subscribe((event) => {
    if (event.type === 'supervisor.stopped') report = event.report;
  });
  screen.show({ rows: [''] });
  if (live > 0) tell(`Ending ${count(live, 'process', 'processes')} …`);
  await agent.close();
  const survivors = (report as ShutdownReport | null)?.survivors ?? [];
  if (survivors.length > 0) {
    const text = `Could not be ended: ${survivors.map(({ id, members }) => `${id} (pid ${members.map(({ pid }) => pid).join(', ')})`).join('; ')}.`;
    screen.show({ rows: toMarked({ voice: 'trouble', text, style: 'red' }, page) });
  } else if (live > 0) tell('Nothing is left running.');
  const next = howToGoOn();
  if (next !== null && conversation.transcript.some(({ role }) => role === 'user')) tell(next);
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
