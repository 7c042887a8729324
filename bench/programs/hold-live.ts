/** Prints the bytes of memory that each of many sleeping processes costs, held by Node alone or by a supervisor. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createSupervisor } from '../../src/index.ts';
import { readInput } from '../fresh.ts';
import { settledBytes } from './settled-bytes.ts';

export interface HoldLiveInput {
  readonly by: 'raw' | 'troupe';
  readonly count: number;
}

const { by, count } = readInput<HoldLiveInput>();
const bytes = by === 'raw' ? await holdRaw() : await holdSupervised();
console.log(JSON.stringify(bytes));

async function holdRaw(): Promise<number> {
  const children: ChildProcess[] = [];
  const start = async () => {
    const child = spawn('sleep', ['1000'], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const pipe of [child.stdout, child.stderr]) pipe.on('data', () => {});
    children.push(child);
    await once(child, 'spawn');
  };
  for (let warmUp = 0; warmUp < 50; warmUp += 1) await start();
  const before = await settledBytes();
  for (let started = 0; started < count; started += 1) await start();
  const after = await settledBytes();
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map((child) => once(child, 'close')));
  return (after - before) / count;
}

async function holdSupervised(): Promise<number> {
  const supervisor = createSupervisor({ stateDirectory: false, maxBackgroundProcesses: count + 100 });
  const start = () => supervisor.start({ command: ['sleep', '1000'], background: true }).ready();
  for (let warmUp = 0; warmUp < 50; warmUp += 1) await start();
  const before = await settledBytes();
  for (let started = 0; started < count; started += 1) await start();
  const after = await settledBytes();
  await supervisor.shutdown();
  return (after - before) / count;
}
