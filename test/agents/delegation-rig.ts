import type { AgentOptions } from '../../src/agents/agent.ts';
import { createAgent } from '../../src/agents/create-agent.ts';
import { loadAgent } from '../../src/agents/load-agent.ts';
import type { ConversationEvent } from '../../src/conversation/conversation-event.ts';
import type { ChatMessage, ChatModel } from '../../src/models/chat-model.ts';
import { createScriptedModel, type ScriptedStep } from '../../src/models/scripted-model.ts';
import { carriers, endAll } from '../support/os.ts';
import { readTranscript } from '../support/talk.ts';
import { openProject } from './project.ts';

/** An agent `lead` that may delegate to `coder`; both follow their scripts and may start any process. */
export async function openDelegation(options: {
  /** Script of the lead. */
  readonly steps: readonly ScriptedStep[];
  /** Scripts of the delegates by name; a delegate that runs twice continues its script. */
  readonly delegates?: Readonly<Record<string, readonly ScriptedStep[] | (() => ChatModel)>>;
  /** More of the lead's file. */
  readonly lead?: string;
  /** The files of others, without the name. Default: one for each of `delegates`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly agent?: Partial<AgentOptions>;
}) {
  const scripts = options.delegates ?? {};
  const names = [...new Set([...Object.keys(scripts), ...Object.keys(options.files ?? {})])].filter(
    (name) => name !== 'lead',
  );
  const plain = 'model: scripted\npolicy: { mode: dangerous }';
  const project = openProject({
    lead: `${plain}\ndelegates: [${names.join(', ')}]\n${options.lead ?? ''}`,
    ...Object.fromEntries(names.map((name) => [name, plain])),
    ...options.files,
  });
  const events: ConversationEvent[] = [];
  const agent = await createAgent({
    definition: await loadAgent('lead', project),
    directory: project.directory,
    model: createScriptedModel(options.steps),
    depth: 0,
    host: { stateDirectory: 'state' },
    modelOf: ({ name }) => {
      const script = scripts[name] ?? [];
      return typeof script === 'function' ? script() : createScriptedModel(script);
    },
    onEvent: (event) => events.push(event),
    ...options.agent,
  });
  const { conversation, supervisor } = agent;
  const transcript = readTranscript(conversation);
  return {
    ...project,
    agent,
    conversation,
    supervisor,
    events,
    answers: transcript.answers,
    notices: () => transcript.notices().map(({ text }) => text),
    alive: (id: string = supervisor.id) => carriers(`/${id}/`),
    async [Symbol.asyncDispose]() {
      await agent.close();
      const survivors = carriers(`/${supervisor.id}/`);
      await endAll(survivors, `/${supervisor.id}/`);
      project[Symbol.dispose]();
      if (survivors.length > 0) throw new Error(`survived the end of the agent: ${survivors.join(', ')}`);
    },
  };
}

/** A call of `delegate_to_coder`, in this program unless told otherwise. */
export function delegate(task: string, more: Readonly<Record<string, unknown>> = {}): ScriptedStep {
  return { calls: [{ name: 'delegate_to_coder', arguments: { task, mode: 'in_process', ...more } }] };
}

/** The texts that were said to a model, without the system's. */
export function saidTo(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
}
