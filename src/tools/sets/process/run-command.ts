import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { type RunResult, runInForeground } from '../../actions/run-in-foreground.ts';
import { runData, toReadData, toRunData } from '../../answer-data.ts';
import { defineTool } from '../../define-tool.ts';
import { onEnd } from '../../notice-words.ts';
import { command, cwd, label, outsideSandbox, toStart } from '../fields.ts';

export const runCommand = defineTool({
  name: 'run_command',
  title: 'Run a command',
  description: (notices) =>
    'Runs a command in the shell and waits for its output. One that exceeds the time-out continues in the background, ' +
    `and you get its id. ${onEnd(notices)} ` +
    'It cannot be answered: its input is empty.',
  permission: 'start',
  input: z.strictObject({
    command,
    cwd,
    timeout_seconds: z.number().positive().optional().describe('Time to wait for it.'),
    label,
    outside_sandbox: outsideSandbox,
  }),
  output: runData,
  intend: (input) => ({ permission: 'start', start: toStart(input) }),
  execute: async ({ command, cwd, timeout_seconds, label }, context) => {
    const timeoutMs = timeout_seconds === undefined ? undefined : timeout_seconds * 1_000;
    const outcome = await runInForeground({ command, cwd, label, timeoutMs, tool: 'run_command' }, context);
    return toAnswer(outcome, toData);
  },
});

function toData(result: RunResult) {
  const { view } = result;
  if (result.type === 'ended') return toRunData(view.id, result.facts);
  return {
    status: view.status,
    process_id: view.id,
    pid: 'pid' in view ? view.pid : null,
    message: result.message,
    ...toReadData(result.read),
    log_file: view.output.logFile,
  };
}
