import type { Conversation, ConversationOptions } from '../../src/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/conversation/conversation-event.ts';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import { createScriptedModel, type ScriptedStep } from '../../src/models/scripted-model.ts';
import type { Supervisor } from '../../src/supervisor/supervisor.ts';
import { waitUntil } from './os.ts';

/** Opens a conversation with a scripted model on any of the harnesses. */
export function talk(
  { supervisor }: { readonly supervisor: Supervisor },
  steps: readonly ScriptedStep[],
  options: Partial<ConversationOptions> = {},
) {
  const events: ConversationEvent[] = [];
  const conversation = createConversation({
    supervisor,
    model: createScriptedModel(steps),
    policy: { mode: 'dangerous' },
    onEvent: (event) => events.push(event),
    ...options,
  });
  const { notices, ...transcript } = readTranscript(conversation);
  return {
    conversation,
    events,
    notices,
    ...transcript,
    /** Returns how many turns have begun. */
    turns: () => events.filter(({ type }) => type === 'turn.started').length,
    /** Resolves once this many ends have been reported and the conversation is idle. */
    told: async (ends: number) => {
      const count = () => notices().reduce((sum, { completionIds }) => sum + completionIds.length, 0);
      await waitUntil(() => count() >= ends, { what: `${ends} ends are reported` });
      await conversation.idle();
    },
    [Symbol.asyncDispose]: () => conversation.close(),
  };
}

export type Talk = ReturnType<typeof talk>;

/** Returns what the transcript of a conversation holds at the time of each call. */
export function readTranscript(conversation: Conversation) {
  const byRole = <R extends ChatMessage['role']>(role: R) =>
    conversation.transcript.filter(
      (message): message is Extract<ChatMessage, { role: R }> => message.role === role,
    );
  return {
    roles: () => conversation.transcript.map(({ role }) => role),
    notices: () => byRole('notice'),
    /** Answers to the calls of tools, as data. */
    answers: () => byRole('tool').map(({ text }) => JSON.parse(text)),
  };
}

/** A step that calls a tool. */
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

/** Returns the process id in the newest result or notice. */
export function namedIn(messages: readonly ChatMessage[]): string {
  const text = messages.findLast(({ role }) => role === 'tool' || role === 'notice')?.text ?? '';
  return /(?:"process_id":"|<process id=")(\w+)/.exec(text)?.[1] ?? 'tool_none';
}

/** A command that waits until the file exists. */
export const until = (file: string) => `until [ -e ${file} ]; do sleep 0.1; done`;
