import { createInterface } from 'node:readline';
import type { Agent } from '../../../agents/agent.ts';
import type { TurnOutcome } from '../../../conversation/conversation-event.ts';
import { onEndSignal } from '../../end-signals.ts';
import { exitCodes, toSignalCode } from '../../exit-codes.ts';
import { createNarrator, renderUserMessage } from '../../render/narrator.ts';
import { isChatCommand, runChatCommand } from './chat-commands.ts';
import type { ChatSession } from './chat-session.ts';
import { closeAgent, renderLastExchange, showPromotions } from './messages.ts';
import { createPlainScreen } from './plain-screen.ts';

/** Treatment of processes that still run at the end of the input. */
export interface PipeEnd {
  readonly background: 'wait' | 'kill';
  readonly waitMs: number;
}

/** Sends each line of the input as a message, one turn after the other. @returns the exit code. */
export async function talkThroughPipe(
  { io, page, opening, open, howToResume }: ChatSession,
  pipeEnd: PipeEnd,
): Promise<number> {
  const screen = createPlainScreen(io.stdout);
  const narrator = createNarrator({ page, showsUserMessages: true });
  screen.show({ rows: opening });
  const agent = await open({ onEvent: (event) => screen.show({ rows: narrator.render(event) }) });
  showPromotions(agent.supervisor, { screen, page });
  screen.show({ rows: renderLastExchange(agent.conversation.transcript, page) });

  // Lines that arrive before the loop would be lost, so nothing is awaited in between.
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  let endedBy: number | null = null;
  const end = (exitCode: number) => {
    endedBy ??= exitCode;
    lines.close();
    void agent.conversation.close();
  };
  const removeSignals = onEndSignal((signal) => end(toSignalCode(signal)));
  let outcome: TurnOutcome | null = null;
  for await (const line of lines) {
    if (endedBy !== null) break;
    if (isChatCommand(line)) await command(line);
    else if (line.trim() !== '') outcome = await agent.conversation.say(line);
  }
  if (endedBy === null) {
    const last = await finish(agent, pipeEnd);
    // The answer to a message takes precedence over the outcome of a later notice.
    outcome ??= last;
  }
  await closeAgent(agent, { screen, page, howToResume });
  removeSignals();
  if (endedBy !== null) return endedBy;
  return outcome === null || outcome.type === 'answered' ? exitCodes.done : exitCodes.failed;

  async function command(line: string): Promise<void> {
    screen.show({ rows: renderUserMessage(line, page) });
    const quit = () => end(exitCodes.done);
    const { supervisor, conversation } = agent;
    screen.show({ rows: await runChatCommand(line, { supervisor, conversation, page, quit }) });
  }
}

function finish({ conversation }: Agent, { background, waitMs }: PipeEnd): Promise<TurnOutcome | null> {
  return conversation.finish({ background, wait: waitMs });
}
