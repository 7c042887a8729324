import { unknownEnd } from '../../machines/process/context.ts';
import type { FinalView } from '../../src/index.ts';

/** The view of a process that has ended, with whatever a test cares about. */
export function endedView(facts: Partial<FinalView> = {}): FinalView {
  return {
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
    status: 'completed',
    pid: 1,
    startedAt: 0,
    backgroundedAt: null,
    endedAt: 3_200,
    runtimeMs: 3_200,
    restarts: 0,
    ...unknownEnd,
    exit: { code: 0, signal: null },
    reason: { type: 'exited', code: 0 },
    ...facts,
  };
}
