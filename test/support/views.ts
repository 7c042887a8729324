import { unknownEnd } from '../../machines/process/context.ts';
import type { FinalView, ProcessView } from '../../src/process/process-view.ts';

type RunningView = Extract<ProcessView, { readonly status: 'backgrounded' }>;

const facts = {
  id: 'tool_example1',
  kind: 'tool',
  command: { type: 'shell', script: 'make', shell: '/bin/sh' },
  commandLine: 'make',
  cwd: '/',
  label: null,
  owner: 'conv_1',
  lifetime: 'session',
  tool: null,
  callId: null,
  metadata: {},
  mode: 'scripted',
  executionMode: 'default',
  attempt: 1,
  createdAt: 0,
  output: { bytes: 0, lines: 0, droppedBytes: 0, lastOutputAt: null, logFile: null, degraded: null },
  terminal: null,
  progress: null,
  takesInput: false,
  awaitsInput: null,
  host: null,
  resourceLimits: null,
  startedAt: 0,
  backgroundedAt: null,
  restarts: 0,
} as const;

/** Returns the view of a process in the background, with the facts that a test needs. */
export function runningView(own: Partial<RunningView> = {}): RunningView {
  return {
    ...facts,
    status: 'backgrounded',
    pid: 4711,
    pgid: 4711,
    held: 'lineage',
    backgroundedAt: 0,
    pausedAt: null,
    runtimeMs: 65_000,
    endsAt: null,
    ready: { state: 'undeclared' },
    ...own,
  };
}

/** Returns the view of a process that has exited with 0, with the facts that a test needs. */
export function endedView(own: Partial<FinalView> = {}): FinalView {
  return {
    ...facts,
    status: 'completed',
    pid: 1,
    endedAt: 3_200,
    runtimeMs: 3_200,
    ...unknownEnd,
    exit: { code: 0, signal: null },
    reason: { type: 'exited', code: 0 },
    ...own,
  };
}

/** A leftover whose pid no process has: Linux gives pids up to 2^22. */
export const deadLeftover = { pid: 2 ** 22 + 1, pgid: 1, startedAt: '1', command: 'serve' };
