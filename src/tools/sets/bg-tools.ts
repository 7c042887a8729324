import { z } from 'zod';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { isEnded, type ProcessView } from '../../process/process-view.ts';
import { type EndedProcess, endProcess } from '../actions/end-and-restart.ts';
import { checkProcess, listProcesses } from '../actions/inspect-processes.ts';
import { toAnswer } from '../actions/outcome.ts';
import { type ProcessOutput, readProcessOutput } from '../actions/read-output.ts';
import { startInBackground } from '../actions/start-in-background.ts';
import { defineTool } from '../define-tool.ts';
import { describeEndNotice, onEnd } from '../notice-words.ts';
import type { ToolAnswer, ToolContext } from '../tool.ts';
import { command, label, toStart } from './fields.ts';

export const bgStart = defineTool({
  name: 'bg_start',
  title: 'Start in the background',
  description: (notices) => `Starts a command in the background and returns its id. ${onEnd(notices)}`,
  permission: 'start',
  input: z.strictObject({
    command,
    timeout: z.number().positive().default(300_000).describe('Milliseconds; then it is ended.'),
    label,
  }),
  intend: (input) => ({ permission: 'start', start: toStart(input) }),
  execute: async ({ command, timeout, label }, context) => {
    const request = { command, label, maxRunMs: timeout, tool: 'bg_start' };
    try {
      const started = await startInBackground(request, context);
      return toAnswer(started, ({ view }) => toText({ view, command }, context));
    } catch (error) {
      const isFull = error instanceof TroupeError && error.code === 'background-limit';
      if (isFull) return { ok: false, error: `Too many concurrent processes. ${error.message}` };
      throw error;
    }
  },
});

function toText({ view, command }: { view: ProcessView; command: string }, context: ToolContext): string {
  const pid = 'pid' in view && view.pid !== null ? view.pid : '-';
  const started = `Process started: id=${view.id} pid=${pid} cmd=${quote(command)}`;
  return `${started}\n${isEnded(view) ? toStatusLine(view) : describeEndNotice(context)}`;
}

export const bgStatus = defineTool({
  name: 'bg_status',
  title: 'Status of background processes',
  description: 'Shows the status of one background process, or of all, including ended ones: one line each.',
  permissions: ['status', 'list'],
  input: z.strictObject({ id: z.string().min(1).optional().describe('The id. Default: all.') }),
  intend: ({ id }) => ({ permission: id === undefined ? 'list' : 'status' }),
  execute: async ({ id }, context) =>
    id === undefined
      ? toAnswer(listProcesses({ includeEnded: true }, context), (views) =>
          views.length === 0 ? 'There are no background processes.' : views.map(toStatusLine).join('\n'),
        )
      : toAnswer(await checkProcess({ id }, context), toStatusLine),
});

const streams = ['stdout', 'stderr'] as const;

/** Shows no status, so it does not reveal the end of the process. */
export const bgOutput = defineTool({
  name: 'bg_output',
  title: 'Output of a background process',
  description: 'Shows the output of a background process: new output since the last call, or the last lines.',
  permission: 'output',
  input: z.strictObject({
    id: z.string().min(1).describe('The id.'),
    lines: z.int().min(1).default(50).describe('Maximum number of lines per stream.'),
    stream: z.enum(['both', 'stdout', 'stderr']).default('both').describe('Which output.'),
    since_last_read: z
      .boolean()
      .default(true)
      .describe('Only new output; what does not fit comes with the next call.'),
  }),
  execute: async ({ id, lines, stream, since_last_read }, context): Promise<ToolAnswer> => {
    const bound = since_last_read ? { limit: lines } : { tail: lines };
    const wanted = streams.filter((each) => stream === 'both' || stream === each);
    const outcomes = wanted.map((each) =>
      readProcessOutput({ id, stream: each, sinceLastRead: since_last_read, ...bound }, context),
    );
    const refused = outcomes.find((outcome) => !outcome.ok);
    if (refused !== undefined) return refused;
    const read = outcomes.filter((outcome) => outcome.ok);
    const nothing = since_last_read ? '(nothing new)' : '(nothing)';
    return {
      ok: true,
      data: read
        .map(({ value }, index) => toSection({ stream: wanted[index] ?? '', output: value }, nothing))
        .join('\n'),
      onRecorded: () => {
        for (const { onRecorded } of read) onRecorded?.();
      },
    };
  },
});

function toSection({ stream, output }: { stream: string; output: ProcessOutput }, nothing: string): string {
  const { read, hasMore } = output;
  const text = read.text === '' ? nothing : read.text.replace(/\n$/, '');
  return `[${stream}]\n${text}${hasMore ? '\n(more with the next call)' : ''}`;
}

export const bgKill = defineTool({
  name: 'bg_kill',
  title: 'End a background process',
  description: 'Ends a background process with everything it started and returns when all of it is gone.',
  permission: 'kill',
  input: z.strictObject({
    id: z.string().min(1).describe('The id.'),
    signal: z.enum(['SIGTERM', 'SIGKILL', 'SIGINT']).default('SIGTERM').describe('The first signal.'),
  }),
  execute: async (input, context) => toAnswer(await endProcess(input, context), toKillText),
});

function toKillText({ view, type, message }: EndedProcess): string {
  if (view.status !== 'killed' || type === 'notRunning' || type === 'leftoversEnded') return message;
  return `Killed ${view.id} after ${toSeconds(view.runtimeMs)}.`;
}

/** Names of statuses that differ in this set. */
const states: Partial<Record<ProcessView['status'], string>> = {
  backgrounded: 'running',
  timed_out: 'timeout',
};

function toState({ status }: ProcessView): string {
  return states[status] ?? status;
}

/** Formats milliseconds as `3.2s`. */
function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)}s`;
}

/** Describes a process in one line, with its exit if it has ended. */
function toStatusLine(view: ProcessView): string {
  const pid = 'pid' in view && view.pid !== null ? view.pid : '-';
  const runtime = toSeconds('runtimeMs' in view ? view.runtimeMs : 0);
  const line = `id=${view.id} state=${toState(view)} pid=${pid} runtime=${runtime} cmd=${quote(view.commandLine)}`;
  const label = view.label === null ? '' : ` label=${quote(view.label)}`;
  return `${line}${label}${toExit(view)}`;
}

function toExit(view: ProcessView): string {
  if (!isEnded(view) || view.exit === null) return '';
  return view.exit.signal === null ? ` exit=${view.exit.code}` : ` signal=${view.exit.signal}`;
}
