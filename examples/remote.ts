// Ten commands run on two workers. One worker is killed: the supervisor learns which commands were lost with it. `npm run remote`
// Everything runs on this machine, on its loopback, and needs a nats-server.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createSupervisor } from '../src/index.ts';
import { openWorker } from '../src/remote/index.ts';

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'worker') await runWorker(rest);
else await runExample();

/** Program of each host, equal to `troupe worker --servers … --name … --capacity 5 --env WORKER`. */
async function runWorker([servers = '', name = '']: readonly string[]): Promise<void> {
  // Five places: with ten commands, each of two workers gets five.
  await openWorker({ servers, name, capacity: 5, env: { WORKER: name } });
  console.log('ready');
}

async function runExample(): Promise<void> {
  const natsServer = findNatsServer();
  if (natsServer === null) {
    console.log(
      'This example needs nats-server 2.12 or newer, and none was found. Get one from https://github.com/nats-io/nats-server/releases, ' +
        'put it on your PATH or its path into TROUPE_NATS_SERVER, and run this again.',
    );
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'troupe-remote-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

  // The server and the workers are processes too. At the end nothing of them is left.
  await using machine = createSupervisor({ stateDirectory: false, handleSignals: true });
  const nats = machine.start({
    command: [natsServer, '--addr', '127.0.0.1', '--port', '-1', '--jetstream', '--store_dir', folder],
    background: true,
    ready: { line: 'Server is ready' },
  });
  await nats.ready();
  const [, address] = /client connections on (\S+)/.exec(nats.read({ maxBytes: 100_000 }).text) ?? [];
  const servers = `nats://${address}`;
  const startWorker = async (name: string) => {
    const command = [process.execPath, import.meta.filename, 'worker', servers, name];
    const worker = machine.start({ command, background: true, ready: { line: 'ready' } });
    await worker.ready();
    return worker;
  };
  const workers = { left: await startWorker('left'), right: await startWorker('right') };
  console.log(`The workers left and right take commands from ${servers}.`);

  // Without `pool`, a command says where it runs: `host: 'pool:default'`.
  await using supervisor = createSupervisor({ stateDirectory: false, remote: { servers, pool: 'default' } });
  const jobs = Array.from({ length: 10 }, (_, index) =>
    supervisor.start({
      command: 'echo "on $WORKER"; sleep 10; echo done',
      label: `job ${index + 1}`,
      background: true,
    }),
  );
  await Promise.all(jobs.map((job) => job.waitFor({ text: 'on ' })));

  console.log('All ten run. The worker right is killed with SIGKILL.');
  const { pid } = workers.right.view() as { readonly pid: number };
  process.kill(pid, 'SIGKILL');

  // The handle has output and end, like that of a local process.
  const ends = await Promise.all(jobs.map((job) => job.ended));
  for (const [index, { label, status, reason }] of ends.entries()) {
    const [place = ''] = jobs[index]?.read().text.split('\n') ?? [];
    console.log(`${label} ${place}: ${status}${reason?.type === 'lost' ? `, ${reason.why}` : ''}`);
  }
  const count = (wanted: string) => ends.filter(({ status }) => status === wanted).length;
  console.log(`${count('completed')} completed, and ${count('lost')} were lost.`);
  process.exitCode = count('completed') === 5 && count('lost') === 5 ? 0 : 1;
}

function findNatsServer(): string | null {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'nats-server'));
  const named = process.env['TROUPE_NATS_SERVER'];
  return (named === undefined ? onPath : [named]).find(isRecent) ?? null;
}

/** Older servers never remove expired keys. */
function isRecent(file: string): boolean {
  if (!existsSync(file)) return false;
  const version = execFileSync(file, ['--version'], { encoding: 'utf8' });
  const [major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  return major > 2 || (major === 2 && minor >= 12);
}
