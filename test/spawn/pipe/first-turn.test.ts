import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { carriers, waitUntil } from '../../support/os.ts';

const door = new URL('../../../src/index.ts', import.meta.url).href;

test.each(['process.exit(0)', 'process.kill(process.pid, "SIGKILL")'])(
  'a host that ends by %s in the turn of the start leaves no process',
  { timeout: 60_000 },
  async (end) => {
    const script = `
    import { createSupervisor } from ${JSON.stringify(door)};
    const supervisor = createSupervisor({ stateDirectory: false });
    process.stdout.write(supervisor.id + '\\n', () => {
      supervisor.start({ command: ['sleep', '600'], background: true });
      ${end};
    });
  `;
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(host, 'exit');
    const [line] = await once(host.stdout, 'data');
    const cookie = `/${String(line).trim()}/`;

    await exited;

    await waitUntil(() => carriers(cookie).length === 0);
    expect(carriers(cookie)).toEqual([]);
  },
);
