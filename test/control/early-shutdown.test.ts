import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { toRuntimeDirectoryName } from '../../src/store/socket-paths.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';

test.for([0, 1, 2, 3, 4, 6, 8, 12])(
  'a shutdown %i turns after the first start leaves no socket',
  async (turns) => {
    using place = tempDir();
    const stateDirectory = place.file(`${'long-'.repeat(25)}/.troupe`);
    const { supervisor } = createVirtualHarness({ script: (run) => run.comeUp(), stateDirectory });
    supervisor.start({ command: 'serve', background: true });

    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    await supervisor.shutdown();

    expect(readdirSync(tmpdir())).not.toContain(toRuntimeDirectoryName(stateDirectory));
  },
);
