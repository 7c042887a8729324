import { z } from 'zod';
import type { Conversation, ConversationOptions } from '../../src/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/conversation/conversation-event.ts';
import type { Supervisor } from '../../src/index.ts';
import type { Mailbox } from '../../src/mailbox/mailbox.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import type { ScriptedStep } from '../../src/models/scripted-model.ts';
import type { Script } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool, ToolAnswer, ToolContext } from '../../src/tools/tool.ts';
import { processTools } from '../../src/tools/tool-sets.ts';
import { waitUntil } from '../support/os.ts';
import { talk } from '../support/talk.ts';
import { createVirtualHarness, type VirtualOptions } from '../support/virtual.ts';

/** Opens a conversation without an operating system: processes are scripted, and so is the model. */
export function arrange(options: {
  steps: readonly ScriptedStep[];
  tools?: readonly Tool[];
  script?: Script;
  supervisor?: VirtualOptions;
  maxSteps?: number;
  more?: Partial<ConversationOptions>;
}) {
  const rig = createVirtualHarness({
    ...(options.script !== undefined && { script: options.script }),
    ...options.supervisor,
  });
  const { clock, backend, supervisor } = rig;
  const completed: string[] = [];
  const mailboxes: Mailbox[] = [];
  const observed: Supervisor = {
    ...supervisor,
    mailbox: (owner, reader) => {
      const mailbox = supervisor.mailbox(owner, reader);
      mailboxes.push(mailbox);
      return mailbox;
    },
  };
  const talked = talk({ supervisor: observed }, options.steps, {
    clock,
    tools: [...processTools, ...(options.tools ?? [])],
    ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
    ...options.more,
  });
  supervisor.completions$.subscribe(({ process }) => completed.push(process.id));
  return {
    ...talked,
    clock,
    backend,
    supervisor,
    /** Returns the mailbox of the conversation. */
    mailbox: () => mailboxes[0] as Mailbox,
    /** Resolves once that many ends were announced and their turns are over. */
    settled: async (ends: number) => {
      await waitUntil(() => completed.length >= ends);
      await talked.conversation.idle();
    },
    async [Symbol.asyncDispose]() {
      await talked.conversation.close();
      await rig[Symbol.asyncDispose]();
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
