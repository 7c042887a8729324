import { chooseModel } from '../../../src/agents/choose-model.ts';
import { runAgent } from '../../../src/agents/create-agent.ts';
import { createDelegationTools } from '../../../src/agents/delegation-tools.ts';
import { listAgents } from '../../../src/agents/load-agent.ts';
import type { AgentDefinition } from '../../../src/config/agent-file-schema.ts';
import { ModelError } from '../../../src/models/model-error.ts';
import { createScriptedModel, type ScriptedStep } from '../../../src/models/scripted-model.ts';
import { createScriptedBackend, createVirtualClock } from '../../../src/testing/index.ts';
import { startChatEndpoint } from '../../scenarios/chat-endpoint.ts';
import { waitUntil } from '../../support/os.ts';
import { openProject } from '../project.ts';
import { openProbed, type Probe, turn, whenIs } from './probe.ts';

type Rig = Awaited<ReturnType<typeof openProbed>>;

const afterOneTurn =
  (see: (rig: Rig) => unknown, steps: readonly ScriptedStep[] = [{ text: 'hello' }]) =>
  async (definition: AgentDefinition): Promise<unknown> => {
    await using rig = await openProbed(definition, { steps });
    await rig.conversation.say('go');
    return see(rig);
  };

const offers = (tool: string) => afterOneTurn((rig) => rig.offered().some(({ name }) => name === tool));

/** The request that an endpoint gets. */
const requested =
  (see: (request: { body: Readonly<Record<string, unknown>>; key: string }) => unknown) =>
  async (definition: AgentDefinition): Promise<unknown> => {
    await using endpoint = await startChatEndpoint(() => ({ text: 'hello' }));
    const env = {
      OPENAI_API_KEY: 'usual',
      MY_KEY: 'mine',
      OPENAI_BASE_URL: endpoint.baseUrl,
      OPENAI_MODEL: 'usual',
    };
    const { model } = chooseModel(definition, { env });
    await using rig = await openProbed(definition, { model });
    await rig.conversation.say('go');
    return endpoint.requests.map(see)[0];
  };

const byEndpoint = { 'model.provider': 'openai' };

/** An agent that delegates to its friend, in a process that a test plays. */
async function delegating(definition: AgentDefinition) {
  const rig = await openProbed(definition, {
    steps: [{ calls: [{ name: 'delegate_to_friend', arguments: { task: 'look' } }] }, { text: 'done' }],
  });
  void rig.conversation.say('go');
  await waitUntil(
    () => rig.supervisor.list().length > 0 || rig.conversation.transcript.some(({ role }) => role === 'tool'),
  );
  await turn();
  return rig;
}

const delegates = { delegates: ['friend'], 'policy.mode': 'dangerous' };

/** Counts how often a failing model is asked, and the length of the first pause. */
const failing =
  (see: (seen: { attempts: number; firstPauseMs: number }) => unknown) =>
  async (definition: AgentDefinition): Promise<unknown> => {
    let attempts = 0;
    const pauses: number[] = [];
    await using rig = await openProbed(definition, {
      model: {
        name: 'failing',
        stream: () => {
          attempts += 1;
          throw new ModelError({ failure: 'unavailable', message: 'no model today' });
        },
      },
      onEvent: (event) => {
        if (event.type === 'model.failed') pauses.push(event.inMs);
      },
    });
    let isOver = false;
    void rig.conversation.say('go').then(() => {
      isOver = true;
    });
    await waitUntil(() => {
      rig.clock.advance(1_000);
      return isOver;
    });
    return see({ attempts, firstPauseMs: pauses[0] ?? 0 });
  };

/** A run without a person whose agent leaves a process behind: how long it waits for that. */
const leaving = async (definition: AgentDefinition): Promise<unknown> => {
  using project = openProject();
  const clock = createVirtualClock();
  const backend = createScriptedBackend();
  let isOver = false;
  const steps = [
    { calls: [{ name: 'start_process', arguments: { command: 'serve' } }] },
    { text: 'started' },
    { text: 'ended' },
  ];
  const result = runAgent({
    definition,
    ...project,
    model: createScriptedModel(steps),
    depth: 0,
    host: { clock, backend, stateDirectory: false },
    task: 'go',
    timeout: 0,
  }).then(() => {
    isOver = true;
  });
  await waitUntil(() => backend.runs.length > 0);
  let seconds = 0;
  await waitUntil(async () => {
    for (let count = 0; count < 20 && !isOver; count += 1) await turn();
    if (isOver) return true;
    clock.advance(1_000);
    // Measured from the signal: the end itself takes a moment.
    if (backend.lastRun.signals.length === 0) seconds += 1;
    return false;
  });
  await result;
  // The words before it take a moment, too.
  return Math.round(seconds / 5) * 5;
};

/** Probes of all other settings, which concern the model, the host or a delegate. */
export const agentProbes: Readonly<Record<string, Probe>> = {
  name: {
    value: 'renamed',
    beside: delegates,
    see: async (definition) => {
      await using rig = await delegating(definition);
      await waitUntil(() => rig.backend.lastRun.input !== '');
      return JSON.parse(rig.backend.lastRun.input).context.parent_agent;
    },
    gives: 'renamed',
  },
  description: {
    value: 'Reads a change.',
    see: async (definition) => {
      const ground = { definition, delegates: [definition] } as unknown as Parameters<
        typeof createDelegationTools
      >[0];
      return createDelegationTools(ground)[0]?.description.includes('Reads a change');
    },
    gives: true,
  },
  type: {
    value: 'execution',
    see: afterOneTurn((rig) => rig.conversation.transcript[0]?.text.includes('You work without a person')),
    gives: true,
  },
  version: {
    value: '2.1',
    see: async ({ name, version }) => {
      using project = openProject({
        [name]: `model: scripted${version === undefined ? '' : `\nversion: "${version}"`}`,
      });
      return (await listAgents(project.directory))[0]?.version;
    },
    gives: '2.1',
  },
  system_prompt: {
    value: 'Be brief.',
    see: afterOneTurn((rig) => rig.conversation.transcript[0]),
    gives: { role: 'system', text: 'Be brief.' },
  },
  delegates: { value: ['friend'], see: offers('delegate_to_friend'), gives: true },

  'model.provider': {
    value: 'anthropic',
    see: async (definition) => chooseModel(definition, { env: {} }).notice?.startsWith('ANTHROPIC_API_KEY'),
    gives: true,
  },
  'model.name': {
    value: 'small',
    beside: byEndpoint,
    see: requested(({ body }) => body['model']),
    gives: 'small',
  },
  'model.temperature': {
    value: 0.3,
    beside: byEndpoint,
    see: requested(({ body }) => body['temperature']),
    gives: 0.3,
  },
  'model.max_tokens': {
    value: 77,
    beside: byEndpoint,
    see: requested(({ body }) => body['max_tokens'] ?? body['max_completion_tokens']),
    gives: 77,
  },
  'model.api_key_env': {
    value: 'MY_KEY',
    beside: byEndpoint,
    see: requested(({ key }) => key),
    gives: 'mine',
  },
  'model.base_url': {
    value: 'http://127.0.0.1:9/v1',
    beside: { ...byEndpoint, 'limits.max_retries': 0 },
    see: async (definition) => (await requested(() => 'reached')(definition)) ?? 'elsewhere',
    gives: 'elsewhere',
  },

  'tools.set': { value: 'bg', see: offers('bg_start'), gives: true },
  'tools.modules': {
    value: [`${import.meta.dirname}/../../fixtures/agent-tools.ts#weather`],
    see: offers('get_weather'),
    gives: true,
  },
  'tools.allow': { value: ['list_*'], see: offers('run_command'), gives: false },
  'tools.deny': { value: ['run_*'], see: offers('run_command'), gives: false },

  'delegation.default_mode': {
    value: 'in_process',
    beside: delegates,
    see: async (definition) => {
      await using rig = await delegating(definition);
      return rig.supervisor.list()[0]?.mode;
    },
    gives: 'in_process',
  },
  'delegation.timeout': {
    value: '1m',
    beside: delegates,
    see: async (definition) => {
      await using rig = await delegating(definition);
      return await whenIs(() => rig.supervisor.list()[0]?.status === 'backgrounded', {
        ...rig,
        stepMs: 1_000,
      });
    },
    gives: 60_000,
  },
  'delegation.max_depth': {
    value: 1,
    beside: delegates,
    see: async (definition) => {
      await using rig = await delegating(definition);
      return rig.conversation.transcript.some(({ text }) =>
        text.includes('Maximum delegation depth (1) reached'),
      );
    },
    gives: true,
  },

  'context.facts': {
    value: ['the port is 8080'],
    beside: delegates,
    see: async (definition) => {
      await using rig = await delegating(definition);
      await waitUntil(() => rig.backend.lastRun.input !== '');
      return JSON.parse(rig.backend.lastRun.input).context.relevant_facts;
    },
    gives: ['the port is 8080'],
  },
  'context.max_messages': {
    value: 10,
    see: async (definition) => {
      const steps = Array.from({ length: 12 }, () => ({ text: 'hello' }));
      let isShortened = false;
      await using rig = await openProbed(definition, {
        steps,
        onEvent: ({ type }) => {
          isShortened ||= type === 'transcript.shortened';
        },
      });
      for (const _ of steps) await rig.conversation.say('go');
      return isShortened;
    },
    gives: true,
  },
  'context.max_tokens': {
    value: 1_000,
    see: async (definition) => {
      const steps = Array.from({ length: 3 }, () => ({ text: 'word '.repeat(500) }));
      let isStarted = false;
      await using rig = await openProbed(definition, {
        steps,
        onEvent: ({ type }) => {
          isStarted ||= type === 'compaction.started';
        },
      });
      for (const _ of steps) await rig.conversation.say('go');
      return isStarted;
    },
    gives: true,
  },

  secrets: {
    value: { token: { env: 'TROUPE_TEST_NO_TOKEN' } },
    see: async (definition) => {
      await using rig = await openProbed(definition);
      const handle = rig.supervisor.start({ command: 'login', stdin: 'pipe', background: true });
      const written = await handle.writeSecret('token');
      return written.ok || written.error.includes('TROUPE_TEST_NO_TOKEN');
    },
    gives: true,
  },

  'limits.max_steps': {
    value: 2,
    see: async (definition) => {
      const look = { calls: [{ name: 'list_processes', arguments: {} }] };
      await using rig = await openProbed(definition, { steps: [look, look, look, { text: 'done' }] });
      return (await rig.conversation.say('go')).type;
    },
    gives: 'stepLimit',
  },
  'limits.max_retries': { value: 1, see: failing(({ attempts }) => attempts), gives: 2 },
  'limits.min_backoff': { value: '200ms', see: failing(({ firstPauseMs }) => firstPauseMs), gives: 200 },
  'limits.max_run_time': {
    value: '50ms',
    see: async (definition) => {
      using project = openProject();
      const stop = new AbortController();
      // Armed after the limit, so the limit comes first however slow the machine is.
      const stopSoon = () => setTimeout(() => stop.abort(), 300);
      const result = await runAgent({
        definition,
        ...project,
        model: createScriptedModel([
          () => {
            stopSoon();
            return new Promise(() => {});
          },
        ]),
        depth: 0,
        task: 'go',
        signal: stop.signal,
      });
      return !result.ok && result.error.includes('no answer after 50 ms');
    },
    gives: true,
  },
  'limits.background': { value: 'kill', beside: { 'policy.mode': 'dangerous' }, see: leaving, gives: 0 },
  'limits.background_wait': { value: '5s', beside: { 'policy.mode': 'dangerous' }, see: leaving, gives: 5 },
};
