import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { toRuntimeDirectoryName } from '../../src/store/socket-paths.ts';
import { createScriptedBackend } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';

test.for([0, 1, 2, 3, 4, 6, 8, 12])(
  'a shutdown %i turns after the first start leaves no socket',
  async (turns) => {
    using place = tempDir();
    const stateDirectory = place.file(`${'long-'.repeat(25)}/.troupe`);
    const backend = createScriptedBackend((run) => run.comeUp());
    const supervisor = createSupervisor({ stateDirectory, backend });
    supervisor.start({ command: 'serve', background: true });

    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    await supervisor.shutdown();

    expect(readdirSync(tmpdir())).not.toContain(toRuntimeDirectoryName(stateDirectory));
  },
);
