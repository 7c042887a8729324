/** One situation of an agent of the OpenAI Agents SDK: `node program.ts <situation>`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, type AgentInputItem, Runner, RunState, type Session, tool } from '@openai/agents';
import { createSupervisor, createToolHost } from 'troupe';
import { connectOpenAiAgents } from 'troupe/openai-agents';
import { abortRun, die, playSituation, situation, untilDue } from '../support/situations.ts';

const supervisor = createSupervisor();
const policy = { mode: situation.startsWith('approve') ? 'default' : 'dangerous' } as const;
const host = createToolHost({ supervisor, owner: 'chat', policy });
const troupe = connectOpenAiAgents(host, { tool, runner: () => new Runner({ tracingDisabled: true }) });
const wait = tool({
  name: 'wait',
  description: 'Waits until something has ended.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  strict: false,
  execute: async () => {
    await untilDue(host);
    return 'over';
  },
});
const agent = new Agent({ name: 'Builder', model: 'gpt-5.1', tools: [...troupe.tools, wait] });

/** A session in a file of the working directory. */
const file = 'session.json';
const read = (): AgentInputItem[] => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
const write = (items: readonly AgentInputItem[]) => writeFileSync(file, JSON.stringify(items));
const session: Session = {
  getSessionId: async () => 'chat',
  getItems: async () => read(),
  addItems: async (items) => {
    write([...read(), ...items]);
    if (situation === 'die-after' && JSON.stringify(items).includes('As it is.')) die();
  },
  popItem: async () => {
    const items = read();
    const last = items.pop();
    write(items);
    return last;
  },
  clearSession: async () => write([]),
};

const say = async (said: string) => {
  const { finalOutput } = await troupe.run(agent, said, { session });
  console.log(finalOutput);
};

await playSituation(host, {
  say,
  own: {
    'die-after': () => say('Build.'),
    'die-before': () =>
      troupe.run(agent, 'Build.', {
        session,
        callModelInputFilter: ({ modelData }) => {
          if (JSON.stringify(modelData).includes('<process_notice')) die();
          return modelData;
        },
      }),
    stream: async () => {
      const stream = await troupe.run(agent, 'Build.', { stream: true });
      for await (const event of stream) if (event.type === 'run_item_stream_event') console.log(event.name);
      await stream.completed;
      console.log(stream.finalOutput, host.take());
    },
    approve: async () => {
      const asked = await troupe.run(agent, 'Build.');
      const [question] = asked.interruptions;
      if (question === undefined) throw new Error('The run was not interrupted.');
      console.log(`asked for ${question.name}, before: ${existsSync('built.txt')}`);
      asked.state.approve(question);
      const { finalOutput } = await troupe.run(agent, asked.state);
      console.log(`${finalOutput} after: ${existsSync('built.txt')}`);
    },
    'approve-later': async () => {
      // Ends while a person thinks, and the state is saved with the notice in it.
      const other = supervisor.start({ command: 'true', label: 'other', owner: 'chat', background: true });
      const asked = await troupe.run(agent, 'Build.');
      await other.ended;
      const state = await RunState.fromString(agent, asked.state.toString());
      for (const question of state.getInterruptions()) state.reject(question);
      const { finalOutput, history } = await troupe.run(agent, state);
      console.log(finalOutput, JSON.stringify(history).match(/<process_notice/g)?.length, host.take());
    },
    abort: () => abortRun(host, ({ signal }) => troupe.run(agent, 'Wait.', { signal })),
  },
});
