import { unknownEnd } from '../../machines/process/context.ts';
import type { ProcessView } from '../../src/process/process-view.ts';

/** A process that runs in the background, with what a test wants to be different. */
export function processView(own: {
  readonly id: string;
  readonly label?: string;
  readonly commandLine?: string;
}): ProcessView {
  return {
    kind: 'tool',
    command: { type: 'shell', script: 'serve', shell: '/bin/sh' },
    commandLine: 'serve',
    cwd: '/project',
    label: null,
    owner: 'assistant_1',
    lifetime: 'session',
    tool: 'start_process',
    callId: 'call_1',
    metadata: {},
    mode: 'pipe',
    executionMode: 'the call asked for the background',
    attempt: 1,
    createdAt: 0,
    output: { bytes: 0, lines: 0, droppedBytes: 0, lastOutputAt: null, logFile: null, degraded: null },
    terminal: null,
    progress: null,
    takesInput: false,
    awaitsInput: null,
    status: 'backgrounded',
    pid: 4711,
    pgid: 4711,
    startedAt: 0,
    backgroundedAt: 0,
    runtimeMs: 65_000,
    endsAt: null,
    restarts: 0,
    ready: { state: 'undeclared' },
    ...own,
  };
}

/** The same once it has ended. */
export function endedView(own: { readonly id: string; readonly label?: string }): ProcessView {
  return {
    ...processView(own),
    status: 'failed',
    pid: 4711,
    startedAt: 0,
    backgroundedAt: null,
    endedAt: 1_000,
    runtimeMs: 1_000,
    restarts: 0,
    ...unknownEnd,
    exit: { code: 7, signal: null },
    reason: { type: 'exited', code: 7 },
  };
}
