import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { findNatsServer, hasNatsServer } from '../support/nats.ts';
import { carriers, endAll, tempDir, waitUntil } from '../support/os.ts';
import { rootFolder } from './examples.ts';

async function runExample(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [join(rootFolder, 'examples/remote.ts')], {
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const [[code], printed, complaints] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, printed, complaints };
}

test.skipIf(!(await hasNatsServer()))(
  'the example of many hosts loses the commands of the killed worker only',
  { timeout: 240_000 },
  async () => {
    using folder = tempDir();
    const lineage = `/test_${randomUUID()}/`;
    await using _ = { [Symbol.asyncDispose]: () => endAll([], lineage) };
    const server = (await findNatsServer()) ?? '';

    const { code, printed, complaints } = await runExample({
      ...{ TMPDIR: folder.path, TROUPE_LINEAGE: lineage, TROUPE_NATS_SERVER: server },
    });

    expect({ code, complaints, printed: code === 0 ? '' : printed }).toEqual({
      ...{ code: 0, complaints: '', printed: '' },
    });
    const ends = printed.match(/^job \d+ .*$/gm)?.map((line) => line.replace(/^job \d+ /, '')) ?? [];
    const completed = 'on left: completed';
    const lost = /^on right: lost, the worker right\.\w+ was silent for 5 s; the process was running$/;
    expect(ends.filter((end) => end === completed)).toHaveLength(5);
    expect(ends.filter((end) => lost.test(end))).toHaveLength(5);
    expect(printed).toMatch(/5 completed, and 5 were lost\.\n$/);
    await waitUntil(() => carriers(lineage).length === 0, { withinMs: 30_000 });
    expect(readdirSync(folder.path)).toEqual([]);
  },
);

test('the example of many hosts says how to get a server where there is none', async () => {
  const { code, printed, complaints } = await runExample({ PATH: '', TROUPE_NATS_SERVER: undefined });

  expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
  expect(printed).toMatch(/needs nats-server 2\.12 or newer.*github\.com\/nats-io.*TROUPE_NATS_SERVER/);
});
