import type { ConversationOptions } from '../../src/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/conversation/conversation-event.ts';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import { createScriptedModel, type ScriptedStep } from '../../src/models/scripted-model.ts';
import { waitUntil } from '../fixtures/os.ts';
import type { Stage } from './stage.ts';

/** Opens a conversation with real processes and a scripted model. */
export function talk(stage: Stage, steps: readonly ScriptedStep[], more: Partial<ConversationOptions> = {}) {
  const events: ConversationEvent[] = [];
  const conversation = createConversation({
    supervisor: stage.supervisor,
    model: createScriptedModel(steps),
    policy: { mode: 'dangerous' },
    onEvent: (event) => events.push(event),
    ...more,
  });
  const byRole = <R extends ChatMessage['role']>(role: R) =>
    conversation.transcript.filter(
      (message): message is Extract<ChatMessage, { role: R }> => message.role === role,
    );
  return {
    conversation,
    events,
    roles: () => conversation.transcript.map(({ role }) => role),
    notices: () => byRole('notice'),
    answers: () => byRole('tool').map(({ text }) => JSON.parse(text)),
    /** How many turns have begun. */
    turns: () => events.filter(({ type }) => type === 'turn.started').length,
    /** Resolves once this many ends have been reported and the conversation is idle. */
    told: async (ends: number) => {
      const count = () => byRole('notice').reduce((sum, { completionIds }) => sum + completionIds.length, 0);
      await waitUntil(() => count() >= ends, { what: `${ends} ends are reported` });
      await conversation.idle();
    },
    [Symbol.asyncDispose]: () => conversation.close(),
  };
}

export type Talk = ReturnType<typeof talk>;

export const call = (name: string, given: Readonly<Record<string, unknown>>): ScriptedStep => ({
  calls: [{ name, arguments: given }],
});

export const start = (command: string, more: object = {}): ScriptedStep =>
  call('start_process', { command, ...more });

/** A call about the process that the last result names. */
export const about =
  (name: string, more: object = {}): ScriptedStep =>
  (messages) => ({
    calls: [{ name, arguments: { process_id: namedIn(messages), ...more } }],
  });

/** The id in the newest result or notice. */
export function namedIn(messages: readonly ChatMessage[]): string {
  const text = messages.findLast(({ role }) => role === 'tool' || role === 'notice')?.text ?? '';
  return /(?:"process_id":"|<process id=")(\w+)/.exec(text)?.[1] ?? 'tool_none';
}

/** The command waits until the file is there. */
export const until = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;
