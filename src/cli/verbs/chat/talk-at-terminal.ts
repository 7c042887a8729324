import type { Agent } from '../../../agents/agent.ts';
import type { ConversationEvent } from '../../../conversation/conversation-event.ts';
import { onEndSignal } from '../../end-signals.ts';
import { exitCodes, toSignalCode } from '../../exit-codes.ts';
import { toMark, toMarked } from '../../render/margin.ts';
import { createNarrator, renderUserMessage } from '../../render/narrator.ts';
import { completeCommand, isChatCommand, runChatCommand } from './chat-commands.ts';
import type { ChatSession } from './chat-session.ts';
import { createDumbTerminal, createTerminal } from './chat-terminal.ts';
import { createConsent } from './consent.ts';
import { closeAgent, renderLastExchange, showPromotions, showWarnings } from './messages.ts';

/** A second Ctrl-C within this time ends the chat. */
const TWICE_WITHIN_MS = 2_000;

const HINT = '/help lists the commands. Ctrl-C interrupts, Ctrl-D ends.';

/** Talks with a person, who may type at any time. @returns the exit code. */
export async function talkAtTerminal({ io, page, opening, open, howToResume }: ChatSession): Promise<number> {
  const prompt = toMark('you', page);
  const narrator = createNarrator({ page, showsUserMessages: false });
  const ending = Promise.withResolvers<number>();
  const { resolve: end } = ending;
  const isDumb = io.env['TERM'] === 'dumb';
  let agent: Agent | null = null;
  let isInTurn = false;
  let lastInterruptMs = Number.NEGATIVE_INFINITY;

  const say = async (text: string, { conversation, supervisor }: Agent) => {
    if (text.trim() === '') return;
    if (!isChatCommand(text)) {
      const waits = isInTurn
        ? toMarked({ voice: 'remark', text: 'delivered at the next safe point', style: 'dim' }, page)
        : [];
      terminal.show({ rows: [...renderUserMessage(text, page), ...waits] });
      return void conversation.say(text);
    }
    terminal.show({ rows: renderUserMessage(text, page) });
    let hasQuit = false;
    const quit = () => {
      hasQuit = true;
      end(exitCodes.done);
    };
    terminal.show({ rows: await runChatCommand(text, { supervisor, conversation, page, quit }) });
    if (!hasQuit) consent.repeat();
  };

  const interrupt = (typed: string) => {
    const nowMs = performance.now();
    const isSecond = nowMs - lastInterruptMs < TWICE_WITHIN_MS;
    lastInterruptMs = nowMs;
    if (isSecond || agent === null || (!isInTurn && typed === '')) return end(toSignalCode('SIGINT'));
    // As in a shell, the first one only clears the typed text.
    if (isInTurn) void agent.conversation.interrupt();
  };

  const onEvent = (event: ConversationEvent) => {
    if (event.type === 'turn.started') isInTurn = true;
    if (event.type === 'turn.ended') isInTurn = false;
    const rows = narrator.render(event);
    terminal.show({ rows, openRow: consent.isAsking ? '' : narrator.openRow });
  };

  io.stdout.write(opening.map((row) => `${row}\n`).join(''));
  const removeSignals = onEndSignal((signal) => end(toSignalCode(signal)), {
    // Other terminals deliver it as a key.
    except: isDumb ? 'SIGINT' : null,
  });
  const terminal = (isDumb ? createDumbTerminal : createTerminal)({
    io,
    prompt,
    onText: (text) => {
      if (consent.isAsking && !isChatCommand(text)) consent.answer(text);
      else if (agent !== null) void say(text, agent);
    },
    onInterrupt: interrupt,
    onEnd: () => end(exitCodes.done),
    complete: (typed) => (agent === null ? [] : completeCommand(typed, agent.supervisor)),
  });
  const consent = createConsent({ terminal, page, prompt });
  const restoreWarnings = showWarnings({ screen: terminal, page });
  try {
    agent = await open({ ask: consent.ask, askSecret: consent.askSecret, onEvent });
    const { supervisor, conversation } = agent;
    showPromotions(supervisor, { screen: terminal, page });
    const hint = toMarked({ voice: 'remark', text: HINT, style: 'dim' }, page);
    terminal.show({ rows: [...hint, ...renderLastExchange(conversation.transcript, page)] });
    const exitCode = await ending.promise;
    terminal.close();
    await closeAgent(agent, { screen: terminal, page, howToResume });
    return exitCode;
  } finally {
    restoreWarnings();
    terminal.close();
    removeSignals();
  }
}
