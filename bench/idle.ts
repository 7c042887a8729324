import { setTimeout as pass } from 'node:timers/promises';
import { createSupervisor } from '../src/index.ts';
import { type Answer, print } from './answer.ts';

const PROCESSES = 64;
const SPAN_MS = 10_000;

async function measureShare(): Promise<number> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  await pass(SPAN_MS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - startMs);
}

export async function answerIdle(): Promise<Answer> {
  const emptyShare = await measureShare();
  await using supervisor = createSupervisor({ stateDirectory: false, maxBackgroundProcesses: PROCESSES });
  for (let count = 0; count < PROCESSES; count += 1) {
    supervisor.start({ command: ['sleep', '1000'], background: true });
  }
  // What the starts themselves leave to do is not idleness.
  await pass(1_000);
  const share = await measureShare();
  const format = (value: number) => `${(value * 100).toFixed(3)} %`;
  return {
    question: 'What does it cost to have processes that do nothing?',
    measured: `CPU time of the supervising program over ${SPAN_MS / 1000} s.`,
    columns: ['processes', 'of one core'],
    rows: [
      { cells: ['none, no supervisor', format(emptyShare)] },
      { cells: [String(PROCESSES), format(share)], goal: { text: '< 0.5 %', isMet: share < 0.005 } },
    ],
  };
}

if (import.meta.main) print(await answerIdle());
