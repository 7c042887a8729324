import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createSupervisor, type ProcessHandle, type SupervisorOptions } from '../../src/index.ts';
import { tempDir } from '../fixtures/os.ts';

export const value = 'hunter2-secret';

/** Opens a supervisor of real processes with the secret `token` and a directory of its own. */
export function arrange(options: SupervisorOptions = {}) {
  const directory = tempDir();
  const supervisor = createSupervisor({
    cwd: directory.path,
    secrets: { token: () => value },
    control: false,
    ...options,
  });
  const events: string[] = [];
  supervisor.events$.subscribe((event) => events.push(JSON.stringify(event)));
  return {
    supervisor,
    /** Returns everything that is visible of a process: files, events, views, output. */
    async everything(handle: ProcessHandle): Promise<string> {
      const screen = await handle.capture({ scrollbackLines: 1_000, withDrawing: true });
      const seen = [handle.view(), handle.timeline(), handle.read({ format: 'raw' }), handle.read(), screen];
      return [...events, ...seen.map((each) => JSON.stringify(each)), ...textsBelow(directory.path)].join(
        '\n',
      );
    },
    async [Symbol.asyncDispose]() {
      await supervisor.shutdown();
      directory.remove();
    },
  };
}

function textsBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, 'latin1'));
}
