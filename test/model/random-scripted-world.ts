import { createVirtualHarness, turn } from '../support/virtual.ts';
import { eventually } from './eventually.ts';
import type { RandomWorld } from './random-commands.ts';
import { MAX_LIVE } from './random-model.ts';

/** Scripted processes on a virtual clock. */
export function createRandomScriptedWorld(): RandomWorld {
  const rig = createVirtualHarness({ maxBackgroundProcesses: MAX_LIVE });
  const { supervisor, backend, clock } = rig;
  const runsOf = (id: string) => backend.runs.filter(({ request }) => request.id === id);
  return {
    supervisor,
    mailbox: supervisor.mailbox('user'),
    handles: [],
    command: ['scripted'],
    holdsPauses: true,
    finish: ({ id }, how) =>
      runsOf(id)
        .at(-1)
        ?.exit(how === 'crash' ? { signal: 'SIGSEGV' } : { code: how }),
    pass: () => clock.advance(2_000),
    received: ({ id }) =>
      runsOf(id)
        .map(({ input }) => input)
        .join(''),
    countUp: () => backend.runs.filter(({ isUp }) => isUp).length,
    until: (condition, what) => eventually(condition, { what, on: 'scripts' }),
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await turn();
    },
  };
}
