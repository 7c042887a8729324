import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessHandle, SupervisorOptions } from '../../src/index.ts';
import { openRealHarness } from '../support/real.ts';

export const value = 'hunter2-secret';

/** Opens a supervisor of real processes with the secret `token` and a directory of its own. */
export function arrange(options: SupervisorOptions = {}) {
  const rig = openRealHarness({ secrets: { token: () => value }, control: false, ...options });
  return {
    supervisor: rig.supervisor,
    /** Returns everything that is visible of a process: files, events, views, output. */
    async everything(handle: ProcessHandle): Promise<string> {
      const screen = await handle.capture({ scrollbackLines: 1_000, withDrawing: true });
      const seen = [
        ...rig.events,
        handle.view(),
        handle.timeline(),
        handle.read({ format: 'raw' }),
        handle.read(),
        screen,
      ];
      return [...seen.map((each) => JSON.stringify(each)), ...textsBelow(rig.directory)].join('\n');
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}

function textsBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, 'latin1'));
}
