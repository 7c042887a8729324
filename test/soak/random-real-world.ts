import { createSupervisor } from '../../src/index.ts';
import { expectNoSurvivors } from '../../src/testing/index.ts';
import type { RandomWorld } from '../model/random-commands.ts';
import { MAX_LIVE } from '../model/random-model.ts';
import { carriers, waitUntil } from '../support/os.ts';

/** Repeats its input, and exits or crashes when a line says so. */
const PROGRAM =
  'while read -r line; do case $line in exit*) exit $(echo $line | cut -c6-);; crash) kill -SEGV $$;; *) echo "$line";; esac; done';

/** Real processes, whose number is read from the operating system. */
export function createRandomRealWorld(): RandomWorld {
  const supervisor = createSupervisor({
    ...{ stateDirectory: false, maxBackgroundProcesses: MAX_LIVE },
  });
  return {
    supervisor,
    mailbox: supervisor.mailbox('user'),
    handles: [],
    command: ['sh', '-c', PROGRAM],
    holdsPauses: false,
    finish: async (handle, how) => {
      await handle.write(how === 'crash' ? 'crash\n' : `exit ${how}\n`);
    },
    pass: () => {},
    received: (handle) => handle.read({ format: 'raw' }).text,
    countUp: () => carriers(`TROUPE_SUPERVISOR_ID=${supervisor.id}`).length,
    until: async (condition, what) => void (await waitUntil(condition, { what, withinMs: 15_000 })),
    [Symbol.asyncDispose]: async () => {
      await supervisor.shutdown();
      await expectNoSurvivors(supervisor);
    },
  };
}
