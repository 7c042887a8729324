import type { FinalView, ProcessView } from '../../src/process/process-view.ts';
import { endedView as completedView, runningView } from '../support/views.ts';

interface Named {
  readonly id: string;
  readonly label?: string;
  readonly commandLine?: string;
}

/** Facts of a process that an assistant has started in a project. */
const facts = {
  command: { type: 'shell', script: 'serve', shell: '/bin/sh' },
  commandLine: 'serve',
  cwd: '/project',
  owner: 'assistant_1',
  tool: 'start_process',
  callId: 'call_1',
  mode: 'pipe',
  executionMode: 'the call asked for the background',
} as const;

/** Returns the view of a process in the background. */
export function processView(own: Named): ProcessView {
  return runningView({ ...facts, ...own });
}

/** Returns the view of a process that has exited with 7. */
export function endedView(own: Named): FinalView {
  return completedView({
    ...{ ...facts, ...own, status: 'failed', pid: 4711, endedAt: 1_000, runtimeMs: 1_000 },
    exit: { code: 7, signal: null },
    reason: { type: 'exited', code: 7 },
  });
}
