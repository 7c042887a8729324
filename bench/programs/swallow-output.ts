/** Lets one child print very much, takes it in one way or another, and prints what that cost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createSupervisor } from '../../src/index.ts';
import { readInput } from '../fresh.ts';

export interface SwallowInput {
  readonly way: 'data' | 'file' | 'ring' | 'log' | 'lines';
  /** Run by sh. */
  readonly script: string;
  readonly bytes: number;
}

export interface SwallowResult {
  readonly megabytesPerSecond: number;
  /** The largest resident set, less the one before. */
  readonly rssGrowthBytes: number;
  readonly delayP99Ms: number;
  /** Of this program, all threads; the child's is not in it. */
  readonly cpuSecondsPerGb: number;
}

const { way, script, bytes } = readInput<SwallowInput>();
const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
try {
  console.log(JSON.stringify(await measure()));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<SwallowResult> {
  const take = way === 'data' || way === 'file' ? takeRaw : takeSupervised;
  // The first process loads what every process needs.
  await take('true');
  globalThis.gc?.();
  const rssBefore = process.memoryUsage.rss();
  let rssMost = rssBefore;
  const look = setInterval(() => {
    rssMost = Math.max(rssMost, process.memoryUsage.rss());
  }, 20);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const arrived = await take(script);
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  delay.disable();
  clearInterval(look);
  if (way !== 'file' && arrived !== bytes) throw new Error(`${arrived} of ${bytes} bytes arrived.`);
  return {
    megabytesPerSecond: bytes / 1e6 / seconds,
    rssGrowthBytes: Math.max(rssMost, process.memoryUsage.rss()) - rssBefore,
    cpuSecondsPerGb: (user + system) / 1e6 / (bytes / 1e9),
    // The monitor counts its own period of 1 ms as a delay.
    delayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - 1),
  };
}

async function takeRaw(command: string): Promise<number> {
  const file = way === 'file' ? openSync(join(folder, 'output'), 'w') : null;
  const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', file ?? 'pipe', 'pipe'] });
  if (file !== null) closeSync(file);
  let arrived = 0;
  for (const pipe of [child.stdout, child.stderr]) {
    pipe?.on('data', (chunk: Buffer) => {
      arrived += chunk.byteLength;
    });
  }
  await once(child, 'close');
  return arrived;
}

async function takeSupervised(command: string): Promise<number> {
  await using supervisor = createSupervisor({ stateDirectory: way === 'log' ? folder : false });
  const handle = supervisor.start({ command: ['sh', '-c', command], background: true });
  let lines = 0;
  if (way === 'lines') {
    handle.lines$.subscribe(() => {
      lines += 1;
    });
  }
  const { output } = await handle.ended;
  if (lines < (output.lines ?? 0) && way === 'lines')
    throw new Error(`${lines} of ${output.lines} lines were seen.`);
  return output.bytes;
}
