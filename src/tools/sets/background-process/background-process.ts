import { z } from 'zod';
import { checkProcess } from '../../actions/check-process.ts';
import { endProcess } from '../../actions/end-process.ts';
import { listProcesses } from '../../actions/list-processes.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { readProcessOutput } from '../../actions/read-output.ts';
import { refuseTerminal } from '../../actions/refuse-terminal.ts';
import { unwatchProcess, watchProcess } from '../../actions/watches.ts';
import { writeInput } from '../../actions/write-input.ts';
import { actionsOver, defineActionTool } from '../../define-action-tool.ts';
import { toOutputData } from '../../output-data.ts';
import { toSummary } from '../../process-summary.ts';
import { spawnProcess } from './spawn-process.ts';

const name = 'background_process';

const fields = {
  command: z.string().min(1).describe('spawn: text for the shell.'),
  workdir: z.string().min(1).describe('spawn: where to run it. Default: the workspace.'),
  wait: z
    .boolean()
    .default(false)
    .describe('spawn: waits for its end; it goes to the background if that takes long.'),
  interactive: z
    .boolean()
    .default(false)
    .describe('spawn: opens its input for the action write. Terminals are not available yet.'),
  label: z.string().min(1).describe('spawn: a short name of your choice.'),
  timeout_seconds: z
    .number()
    .positive()
    .default(1_800)
    .describe('spawn: how long it may run; then it is ended.'),
  handle: z.string().min(1).describe('The id of the process, such as tool_k3m9xq2p.'),
  offset: z.int().min(0).describe('log: lines to leave out at the beginning.'),
  limit: z
    .int()
    .min(1)
    .describe('log: how many lines at most. Without offset, the last ones; then 100 unless told otherwise.'),
  keys: z
    .string()
    .min(1)
    .describe('send_keys: names of keys with blanks between them, such as "Up Enter C-c".'),
  press_enter: z.boolean().default(false).describe('Presses Enter at the end.'),
  input: z.string().min(1).describe('Text to write or to type, as it stands.'),
  interval_seconds: z.number().positive().default(5).describe('watch: quiet for so long.'),
};

const action = actionsOver(fields);

const noTerminal = 'Terminals are not available yet.';

/** The tool set `background_process`: one tool for everything. */
export const backgroundProcess = defineActionTool({
  name,
  title: 'Background processes',
  description: 'Runs commands in the background and looks after them. Actions, with what they need:',
  fields,
  actions: {
    spawn: action({
      permission: 'start',
      description: 'starts a command and answers with its handle.',
      needs: ['command'],
      takes: ['workdir', 'wait', 'interactive', 'label', 'timeout_seconds'],
      intend: ({ command, workdir }) => ({
        permission: 'start',
        start: { command, ...(workdir !== undefined && { cwd: workdir }) },
      }),
      execute: (input, context) => spawnProcess({ ...input, tool: name }, context),
    }),
    list: action({
      permission: 'list',
      description: 'all that you started, also what has ended.',
      needs: [],
      takes: [],
      execute: (_, context) =>
        toAnswer(listProcesses({ includeEnded: true }, context), (views) => ({
          processes: views.map(toSummary),
        })),
    }),
    status: action({
      permission: 'status',
      description: 'how a process is, and how it ended.',
      needs: ['handle'],
      takes: [],
      execute: ({ handle }, context) => toAnswer(checkProcess({ id: handle }, context), toSummary),
    }),
    log: action({
      permission: 'output',
      description: 'what a process printed.',
      needs: ['handle'],
      takes: ['offset', 'limit'],
      execute: ({ handle, offset, limit }, context) => {
        const lines = offset === undefined ? { tail: limit } : { offset, limit };
        return toAnswer(readProcessOutput({ id: handle, ...lines }, context), toOutputData);
      },
    }),
    capture: action({
      permission: 'output',
      description: 'not available yet: the screen of a process that has a terminal.',
      needs: ['handle'],
      takes: [],
      execute: ({ handle }, context) => {
        const instead = `${noTerminal} Read what it printed with the action log.`;
        return toAnswer(refuseTerminal({ id: handle, instead }, context), () => null);
      },
    }),
    send_keys: action({
      permission: 'keys',
      description: 'not available yet: presses keys in a process that has a terminal.',
      needs: ['handle'],
      takes: ['keys', 'input', 'press_enter'],
      execute: ({ handle }, context) => {
        const instead = `${noTerminal} To answer a program that reads its input, spawn it with interactive: true and use the action write.`;
        return toAnswer(refuseTerminal({ id: handle, instead }, context), () => null);
      },
    }),
    write: action({
      permission: 'write',
      description: 'writes to the input of a process that was spawned with interactive: true.',
      needs: ['handle', 'input'],
      takes: ['press_enter'],
      execute: async ({ handle, input, press_enter }, context) => {
        const hint = 'Spawn it again with interactive: true to write to it.';
        const request = { id: handle, input, newline: press_enter, endInput: false, hint };
        return toAnswer(await writeInput(request, context), ({ bytesWritten, message }) => ({
          process_id: handle,
          bytes_written: bytesWritten,
          message,
        }));
      },
    }),
    kill: action({
      permission: 'kill',
      description: 'ends a process with everything it started, and answers when all of it is gone.',
      needs: ['handle'],
      takes: [],
      execute: async ({ handle }, context) =>
        toAnswer(await endProcess({ id: handle }, context), ({ view, message }) => ({
          process_id: view.id,
          status: view.status,
          message,
        })),
    }),
    watch: action({
      permission: 'status',
      description:
        'not available yet: asks for a notice when a process has stopped printing; a second watch replaces the first.',
      needs: ['handle'],
      takes: ['interval_seconds'],
      execute: ({ handle }, context) =>
        watchProcess({ id: handle, instead: 'Look at it with the actions status and log.' }, context),
    }),
    unwatch: action({
      permission: 'status',
      description: 'ends the watch.',
      needs: ['handle'],
      takes: [],
      execute: ({ handle }, context) =>
        toAnswer(unwatchProcess({ id: handle }, context), (message) => ({ process_id: handle, message })),
    }),
  },
});
