import type { AgentDefinition } from '../../../src/config/agent-file-schema.ts';
import { waitUntil } from '../../support/os.ts';
import { openProbed, type Probe, turn } from './probe.ts';

/** Tells whether a command is started for the agent, and else why not. No person is asked. */
const runs =
  (command: string, tool = 'run_command') =>
  async (definition: AgentDefinition): Promise<unknown> => {
    await using rig = await openProbed(definition, {
      steps: [{ calls: [{ name: tool, arguments: { command } }] }, { text: 'done' }],
    });
    const said = rig.conversation.say('go');
    await waitUntil(() => {
      rig.backend.runs.at(-1)?.exit();
      return rig.conversation.transcript.some(({ role }) => role === 'tool');
    });
    await said;
    const answer = rig.conversation.transcript.find(({ role }) => role === 'tool')?.text ?? '';
    return rig.backend.runs.length > 0
      ? 'started'
      : (/^\{"ok":false,"error":"(Denied|There is no tool)/.exec(answer)?.[1] ?? answer);
  };

/** Returns an option of the policy that delegates inherit. */
const passedOn =
  (option: string) =>
  async (definition: AgentDefinition): Promise<unknown> => {
    await using rig = await openProbed(definition);
    rig.supervisor.start({ command: 'ls' });
    await waitUntil(() => rig.backend.runs.length > 0);
    const [policy] = JSON.parse(rig.backend.lastRun.request.env['TROUPE_POLICY'] ?? '[]');
    return policy[option];
  };

const offers =
  (tool: string) =>
  async (definition: AgentDefinition): Promise<unknown> => {
    await using rig = await openProbed(definition, { steps: [{ text: 'hello' }] });
    await rig.conversation.say('go');
    return rig.offered().some(({ name }) => name === tool);
  };

const dangerous = { 'policy.mode': 'dangerous' };

/** Probes of each policy setting: the outcome of a call. */
export const policyProbes: Readonly<Record<string, Probe>> = {
  'policy.mode': { value: 'dangerous', see: runs('npm test'), gives: 'started' },
  'policy.permissions': { value: { start: 'allow' }, see: runs('npm test'), gives: 'started' },
  'policy.tools.allow': { value: ['list_*'], see: offers('run_command'), gives: false },
  'policy.tools.deny': { value: ['run_*'], see: offers('run_command'), gives: false },
  'policy.commands.allow': { value: ['git push*'], see: runs('git push --tags'), gives: 'started' },
  'policy.commands.deny': {
    value: ['git push*'],
    beside: dangerous,
    see: runs('git push --force'),
    gives: 'Denied',
  },
  'policy.rules': {
    value: { 'kill-by-name': 'off' },
    beside: dangerous,
    see: runs('pkill node'),
    gives: 'started',
  },
  'policy.restrict_to_workspace': {
    value: true,
    beside: dangerous,
    see: runs('cat /etc/hostname'),
    gives: 'Denied',
  },
  'policy.extra_paths': {
    value: ['/etc'],
    beside: { ...dangerous, 'policy.restrict_to_workspace': true },
    see: runs('cat /etc/hostname'),
    gives: 'started',
  },
  'policy.sandbox': {
    // Without the restriction that it enforces the setting is refused, which proves that it is read.
    value: 'require',
    see: (definition) =>
      offers('run_command')(definition).catch((error: Error) => /"sandbox" is "require"/.test(error.message)),
    gives: true,
    beside: { 'policy.tools.deny': ['run_command'] },
  },
  'policy.sandbox_network': {
    value: ['*.npmjs.org'],
    see: passedOn('sandboxNetwork'),
    gives: ['*.npmjs.org'],
  },
  'policy.sandbox_read': {
    value: ['/opt/data'],
    see: passedOn('sandboxRead'),
    gives: ['/opt/data'],
  },
  'policy.ask_timeout': {
    value: '50ms',
    see: async (definition) => {
      const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
      await using rig = await openProbed(definition, {
        steps: [{ calls: [{ name: 'run_command', arguments: { command: 'npm test' } }] }, { text: 'done' }],
        ask: () => {
          ask();
          return new Promise(() => {});
        },
      });
      let end = 'still asked';
      void rig.conversation.say('go').then(() => {
        end = 'answered';
      });
      await asked;
      for (let ms = 0; ms < 1_000; ms += 10) {
        rig.clock.advance(10);
        await turn();
      }
      return end;
    },
    gives: 'answered',
  },
};
