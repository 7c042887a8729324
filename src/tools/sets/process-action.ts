import { z } from 'zod';
import type { ProcessView } from '../../process/process-view.ts';
import { endProcess } from '../actions/end-and-restart.ts';
import { checkProcess, listProcesses } from '../actions/inspect-processes.ts';
import { toAnswer } from '../actions/outcome.ts';
import { readProcessOutput } from '../actions/read-output.ts';
import { startInBackground } from '../actions/start-in-background.ts';
import { toOutputData, toReadData } from '../answer-data.ts';
import { createActionBuilder, defineActionTool } from '../define-action-tool.ts';
import { onEnd } from '../notice-words.ts';
import { toSummary } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';

const fields = {
  command: z.string().min(1).describe('start: text for the shell.'),
  pid: z.string().min(1).describe('The pid of the process, such as "tool_k3m9xq2p".'),
  tail: z.int().min(1).default(50).describe('output: how many lines from the end.'),
};

const action = createActionBuilder(fields);

/** Tool set `process_action`: one small tool. Its `pid` is our id; the system's pid is accepted too. */
export const processAction = defineActionTool({
  name: 'process',
  title: 'Processes',
  description: (notices) =>
    `Starts commands in the background and looks after them. ${onEnd(notices)} Actions, with what they need:`,
  fields,
  actions: {
    start: action({
      permission: 'start',
      description: 'starts a command and answers with its pid.',
      needs: ['command'],
      takes: [],
      intend: ({ command }) => ({ permission: 'start', start: { command } }),
      execute: async ({ command }, context) =>
        toAnswer(await startInBackground({ command, tool: 'process' }, context), (started) => ({
          ...toOwnSummary(started.view),
          message: started.message,
          ...(started.read !== null && toReadData(started.read)),
        })),
    }),
    status: action({
      permission: 'status',
      description: 'the status of a process, and how it ended.',
      needs: ['pid'],
      takes: [],
      execute: async ({ pid }, context) =>
        toAnswer(await checkProcess({ id: toId(pid, context) }, context), toOwnSummary),
    }),
    output: action({
      permission: 'output',
      description: 'the last lines that a process printed.',
      needs: ['pid'],
      takes: ['tail'],
      execute: ({ pid, tail }, context) =>
        toAnswer(readProcessOutput({ id: toId(pid, context), tail }, context), (output) => {
          const { process_id, ...rest } = toOutputData(output);
          return { pid: process_id, ...rest };
        }),
    }),
    stop: action({
      permission: 'kill',
      description: 'ends a process with everything it started.',
      needs: ['pid'],
      takes: [],
      execute: async ({ pid }, context) =>
        toAnswer(await endProcess({ id: toId(pid, context) }, context), ({ view, message }) => ({
          pid: view.id,
          status: view.status,
          message,
        })),
    }),
    list: action({
      permission: 'list',
      description: 'all processes that you started, including ended ones.',
      needs: [],
      takes: [],
      execute: (_, context) =>
        toAnswer(listProcesses({ includeEnded: true }, context), (views) => ({
          processes: views.map(toOwnSummary),
        })),
    }),
  },
});

function toOwnSummary(view: ProcessView): Readonly<Record<string, unknown>> {
  const { process_id, pid, ...rest } = toSummary(view);
  return { pid: process_id, ...rest, ...(pid !== undefined && { os_pid: pid }) };
}

/** Resolves a system pid to the owner's process that currently has it; otherwise returns the text unchanged. */
function toId(pid: string, { supervisor, owner }: ToolContext): string {
  if (!/^\d+$/.test(pid)) return pid;
  const views = supervisor.list({ owner, live: true });
  return views.find((view) => 'pid' in view && view.pid === Number(pid))?.id ?? pid;
}
