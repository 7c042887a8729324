import { z } from 'zod';
import type { Conversation, ConversationOptions } from '../../src/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/conversation/conversation-event.ts';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import { createSupervisor, type SupervisorOptions } from '../../src/index.ts';
import type { Mailbox } from '../../src/mailbox/mailbox.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import { createScriptedModel, type ScriptedStep } from '../../src/models/scripted-model.ts';
import { createScriptedBackend, createVirtualClock, type Script } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool, ToolAnswer, ToolContext } from '../../src/tools/tool.ts';
import { processTools } from '../../src/tools/tool-sets.ts';
import { waitUntil } from '../fixtures/os.ts';

/** A conversation without an operating system: processes are scripted, and so is the model. */
export function arrange(options: {
  steps: readonly ScriptedStep[];
  tools?: readonly Tool[];
  script?: Script;
  supervisor?: SupervisorOptions;
  maxSteps?: number;
  /** Whatever else a conversation can be told. */
  more?: Partial<ConversationOptions>;
}) {
  const clock = createVirtualClock();
  const backend = createScriptedBackend(options.script);
  const supervisor = createSupervisor({ stateDirectory: false, clock, backend, ...options.supervisor });
  const events: ConversationEvent[] = [];
  const completed: string[] = [];
  const mailboxes: Mailbox[] = [];
  const conversation = createConversation({
    supervisor: {
      ...supervisor,
      mailbox: (owner, reader) => {
        const mailbox = supervisor.mailbox(owner, reader);
        mailboxes.push(mailbox);
        return mailbox;
      },
    },
    model: createScriptedModel(options.steps),
    policy: { mode: 'dangerous' },
    clock,
    tools: [...processTools, ...(options.tools ?? [])],
    onEvent: (event) => events.push(event),
    ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
    ...options.more,
  });
  supervisor.completions$.subscribe(({ process }) => completed.push(process.id));
  const byRole = <R extends ChatMessage['role']>(role: R) =>
    conversation.transcript.filter(
      (message): message is Extract<ChatMessage, { role: R }> => message.role === role,
    );
  return {
    clock,
    backend,
    supervisor,
    conversation,
    events,
    /** The mailbox of the conversation. */
    mailbox: () => mailboxes[0] as Mailbox,
    roles: () => conversation.transcript.map(({ role }) => role),
    notices: () => byRole('notice'),
    answers: () => byRole('tool').map(({ text }) => JSON.parse(text)),
    turns: () => events.filter(({ type }) => type === 'turn.started').length,
    /** All ends so far have been announced, and whatever they began is over. */
    settled: async (ends: number) => {
      await waitUntil(() => completed.length >= ends);
      await conversation.idle();
    },
    async [Symbol.asyncDispose]() {
      await conversation.close();
      await supervisor.shutdown();
    },
  };
}

/** A tool that does what a test says. */
export function toolThat(name: string, execute: (context: ToolContext) => Promise<ToolAnswer>): Tool {
  return defineTool({
    name,
    description: name,
    input: z.strictObject({}),
    execute: (_, context) => execute(context),
  });
}

export const startServer: ScriptedStep = {
  calls: [{ name: 'start_process', arguments: { command: 'serve', label: 'server' } }],
};

/** The id of the process that the newest tool answer names. */
export function lastProcessId(messages: readonly ChatMessage[]): string {
  const text = messages.findLast(({ role }) => role === 'tool')?.text ?? '{}';
  return JSON.parse(text).data?.process_id ?? 'none';
}

/** A promise, and who keeps it. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

/** Resolves with the first such event that comes from now on. */
export function nextEvent<T extends ConversationEvent['type']>(
  { conversation }: { readonly conversation: Conversation },
  type: T,
): Promise<Extract<ConversationEvent, { type: T }>> {
  return new Promise((resolve) => {
    conversation.events$.subscribe((event) => {
      if (event.type === type) resolve(event as Extract<ConversationEvent, { type: T }>);
    });
  });
}
