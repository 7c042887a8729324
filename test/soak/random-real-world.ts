import type { RandomWorld } from '../model/random-commands.ts';
import { MAX_LIVE } from '../model/random-model.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

/** Repeats its input, and exits or crashes when a line says so. */
const PROGRAM =
  'while read -r line; do case $line in exit*) exit $(echo $line | cut -c6-);; crash) kill -SEGV $$;; *) echo "$line";; esac; done';

/** Real processes, whose number is read from the operating system. */
export function createRandomRealWorld(): RandomWorld {
  const stage = openRealHarness({ stateDirectory: false, maxBackgroundProcesses: MAX_LIVE });
  const { supervisor } = stage;
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
    countUp: () => stage.alive().length,
    until: async (condition, what) => void (await waitUntil(condition, { what, withinMs: 15_000 })),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}
