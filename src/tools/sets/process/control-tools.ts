import { z } from 'zod';
import { endProcess, restartProcess as restart } from '../../actions/end-and-restart.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { findSignalProblem, signalProcess as sendSignal } from '../../actions/signal-process.ts';
import { writeInput } from '../../actions/write-input.ts';
import { defineTool } from '../../define-tool.ts';
import { toSummary } from '../../process-summary.ts';
import { processId, secret, signal } from '../fields.ts';

export const killProcess = defineTool({
  name: 'kill_process',
  title: 'End a process',
  description:
    'Ends a process with everything it started and returns when all of it is gone. Also ends the leftovers of a process that has ended.',
  permission: 'kill',
  input: z.strictObject({ process_id: processId }),
  execute: async ({ process_id }, context) => {
    const outcome = await endProcess({ id: process_id }, context);
    return toAnswer(outcome, ({ view, message }) => ({ process_id: view.id, status: view.status, message }));
  },
});

export const signalProcess = defineTool({
  name: 'signal_process',
  title: 'Signal a process',
  description:
    'Sends a signal to a process and everything it started, without ending it: SIGHUP to reload, for example. SIGSTOP pauses it, and SIGCONT ' +
    'resumes it.',
  permission: 'kill',
  input: z.strictObject({ process_id: processId, signal }),
  check: ({ signal }) => findSignalProblem(signal),
  execute: async ({ process_id, signal }, context) => {
    const outcome = await sendSignal({ id: process_id, signal }, context);
    return toAnswer(outcome, ({ view, message }) => ({ ...toSummary(view), message }));
  },
});

export const restartProcess = defineTool({
  name: 'restart_process',
  title: 'Restart a process',
  description:
    'Restarts a process: ends it and starts its command again under the same id. Returns when it is up, and ready.',
  permission: 'start',
  input: z.strictObject({ process_id: processId }),
  intend: ({ process_id }) => ({ permission: 'start', restarts: process_id }),
  execute: async ({ process_id }, context) => {
    const outcome = await restart({ id: process_id }, context);
    return toAnswer(outcome, ({ view, message }) => ({ ...toSummary(view), message }));
  },
});

export const writeProcess = defineTool({
  name: 'write_process',
  title: 'Write to a process',
  description:
    'Writes to the input of a process that was started with stdin: true: an answer to its question, for example, or a secret by ' +
    'name. For a process with a terminal use send_keys.',
  permission: 'write',
  input: z.strictObject({
    process_id: processId,
    input: z.string().default('').describe('Text to write.'),
    secret: secret.describe('Name of a secret to write instead; you never see its value.'),
    newline: z.boolean().default(true).describe('Appends a line break unless the input ends with one.'),
    end_input: z.boolean().default(false).describe('Closes the input afterwards (end-of-file).'),
  }),
  check: ({ input, secret, end_input }) => {
    if (secret !== undefined) return input === '' ? null : 'give input or secret, not both';
    return input === '' && !end_input ? 'input is required, or end_input: true' : null;
  },
  execute: async ({ process_id, input, secret, newline, end_input }, context) => {
    const hint = 'Start it again with start_process and stdin: true to write to it.';
    const request = { id: process_id, input, secret, newline, endInput: end_input, hint };
    return toAnswer(await writeInput(request, context), ({ bytesWritten, message }) => ({
      process_id,
      ...(bytesWritten !== null && { bytes_written: bytesWritten }),
      message,
    }));
  },
});
