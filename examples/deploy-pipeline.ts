// A deploy pipeline as an XState machine: each state invokes a command, and a failed check rolls the release back.
import { createActor, setup, waitFor } from 'xstate';
import { createSupervisor, type FinalView } from '../src/index.ts';
import { processLogic } from '../src/xstate/index.ts';

await using supervisor = createSupervisor({ stateDirectory: false });
const check = process.argv.includes('--broken') ? 'echo HTTP 500; exit 1' : 'echo HTTP 200';

const pipeline = setup({
  actors: { process: processLogic(supervisor) },
  actions: {
    print: (_, { id, label, status }: FinalView) =>
      console.log(`${label} ${status}: ${supervisor.get(id)?.read().text.trim()}`),
  },
}).createMachine({
  initial: 'deploying',
  states: {
    deploying: {
      invoke: {
        src: 'process',
        input: { command: 'echo uploading; sleep 0.1; echo uploaded', label: 'deploy' },
        onDone: { target: 'checking', actions: { type: 'print', params: ({ event }) => event.output } },
      },
    },
    checking: {
      invoke: {
        src: 'process',
        input: { command: check, label: 'check' },
        onDone: [
          { guard: ({ event }) => event.output.status === 'completed', target: 'live' },
          { target: 'rolledBack', actions: { type: 'print', params: ({ event }) => event.output } },
        ],
      },
    },
    live: { type: 'final' },
    rolledBack: { type: 'final' },
  },
});

console.log((await waitFor(createActor(pipeline).start(), ({ status }) => status === 'done')).value);
