import { z } from 'zod';
import { terminalSize } from '../../config/process-spec.ts';
import { isPlainText, parseKeys } from '../../spawn/terminal/parse-keys.ts';
import { endProcess } from '../actions/end-and-restart.ts';
import { checkProcess, listProcesses } from '../actions/inspect-processes.ts';
import { toAnswer } from '../actions/outcome.ts';
import { readProcessOutput } from '../actions/read-output.ts';
import { runInForeground } from '../actions/run-in-foreground.ts';
import { findSignalProblem, signalProcess } from '../actions/signal-process.ts';
import { type CommandRequest, startInBackground } from '../actions/start-in-background.ts';
import { captureScreen, resizeTerminal, sendKeys, type TerminalWords } from '../actions/terminals.ts';
import { unwatchProcess, watchProcess } from '../actions/watches.ts';
import { writeInput } from '../actions/write-input.ts';
import {
  toOutputData,
  toReadData,
  toRunData,
  toScreenData,
  toSentData,
  toStartedData,
} from '../answer-data.ts';
import { createActionBuilder, defineActionTool } from '../define-action-tool.ts';
import { onEnd } from '../notice-words.ts';
import { toSummary } from '../process-summary.ts';
import type { ToolAnswer, ToolContext } from '../tool.ts';
import {
  findKeysProblem,
  intervalSeconds,
  lifetime,
  pressEnter,
  secret,
  signal,
  thenCapture,
  toTypedKeys,
} from './fields.ts';

const name = 'background_process';
const size = terminalSize.shape;

const fields = {
  command: z.string().min(1).describe('spawn: text for the shell.'),
  workdir: z.string().min(1).describe('spawn: where to run it. Default: the workspace.'),
  wait: z
    .boolean()
    .default(false)
    .describe('spawn: waits for its end; it moves to the background if that takes long.'),
  interactive: z
    .boolean()
    .default(false)
    .describe('spawn: gives it a terminal, or a pipe for the action write where none is available.'),
  label: z.string().min(1).describe('spawn: a short name of your choice.'),
  lifetime,
  timeout_seconds: z
    .number()
    .positive()
    .default(1_800)
    .describe('spawn: maximum run time; then it is ended.'),
  handle: z.string().min(1).describe('The process_id, such as tool_k3m9xq2p.'),
  offset: z.int().min(0).describe('log: lines to skip at the beginning.'),
  limit: z
    .int()
    .min(1)
    .describe('log: maximum number of lines. Without offset the last ones, 100 by default.'),
  keys: z.string().min(1).describe('send_keys: key names separated by blanks, such as "Up Enter C-c".'),
  press_enter: pressEnter,
  input: z.string().min(1).describe('Text to write or to type, literally.'),
  paste: z
    .boolean()
    .default(false)
    .describe('send_keys: sends the input as a paste even if it is a single line.'),
  secret,
  then_capture: thenCapture,
  scrollback_lines: z.int().min(0).max(100_000).default(0).describe('capture: lines that have scrolled out.'),
  columns: size.columns.removeDefault().describe('resize: characters in a row.'),
  rows: size.rows.removeDefault().describe('resize: rows.'),
  interval_seconds: intervalSeconds,
  signal: signal.describe('signal: its name, such as SIGHUP.'),
};

const action = createActionBuilder(fields);

const words: TerminalWords = {
  read: 'Read what it printed with the action log.',
  write: 'Its input is a pipe: use the action write; to stop it use kill.',
  answer: 'If its input is a pipe, use the action write; to stop it use kill.',
  textField: 'input',
};

/** Tool set `background_process`: one tool for everything. */
export const backgroundProcess = defineActionTool({
  name,
  title: 'Background processes',
  description: (notices) =>
    `Runs and manages commands in the background. ${onEnd(notices)} Actions, with their required fields:`,
  fields,
  actions: {
    spawn: action({
      permission: 'start',
      description: 'starts a command and returns its process_id, which is its handle.',
      needs: ['command'],
      takes: ['workdir', 'wait', 'interactive', 'label', 'lifetime', 'timeout_seconds'],
      intend: ({ command, workdir }) => ({
        permission: 'start',
        start: { command, ...(workdir !== undefined && { cwd: workdir }) },
      }),
      execute: (input, context) => spawnProcess({ ...input, tool: name }, context),
    }),
    list: action({
      permission: 'list',
      description: 'your processes, including ended ones.',
      needs: [],
      takes: [],
      execute: (_, context) =>
        toAnswer(listProcesses({ includeEnded: true }, context), (views) => ({
          processes: views.map(toSummary),
        })),
    }),
    status: action({
      permission: 'status',
      description: 'the status of a process, and how it ended.',
      needs: ['handle'],
      takes: [],
      execute: async ({ handle }, context) =>
        toAnswer(await checkProcess({ id: handle }, context), toSummary),
    }),
    log: action({
      permission: 'output',
      description: 'the output of a process.',
      needs: ['handle'],
      takes: ['offset', 'limit'],
      execute: ({ handle, offset, limit }, context) => {
        const lines = offset === undefined ? { tail: limit } : { offset, limit };
        return toAnswer(readProcessOutput({ id: handle, ...lines }, context), toOutputData);
      },
    }),
    capture: action({
      permission: 'output',
      description: 'the screen of a terminal; after its end the last one.',
      needs: ['handle'],
      takes: ['scrollback_lines'],
      execute: async ({ handle, scrollback_lines }, context) =>
        toAnswer(
          await captureScreen({ id: handle, scrollbackLines: scrollback_lines, words }, context),
          toScreenData,
        ),
    }),
    send_keys: action({
      permission: 'keys',
      description:
        'types into a terminal: input, then keys, then Enter; or a secret by name. Shows the screen.',
      needs: ['handle'],
      takes: ['keys', 'input', 'paste', 'press_enter', 'secret', 'then_capture'],
      check: ({ keys, input, secret, press_enter }) =>
        findKeysProblem({ secret, text: input, hasKeys: keys !== undefined, press_enter }),
      execute: async ({ handle, keys = '', input, paste, press_enter, secret, then_capture }, context) => {
        const names = splitKeys(keys);
        const typed = toTypedKeys({ secret, text: input, paste, keys: names, press_enter });
        const sent = await sendKeys({ id: handle, typed, thenCapture: then_capture, words }, context);
        return toAnswer(sent, (each) => toSentData(handle, each));
      },
    }),
    resize: action({
      permission: 'keys',
      description: 'resizes a terminal.',
      needs: ['handle', 'columns', 'rows'],
      takes: [],
      execute: async ({ handle, columns, rows }, context) =>
        toAnswer(
          await resizeTerminal({ id: handle, size: { columns, rows }, words }, context),
          (message) => ({
            process_id: handle,
            message,
          }),
        ),
    }),
    write: action({
      permission: 'write',
      description: 'writes input, or a secret by name.',
      needs: ['handle'],
      takes: ['input', 'press_enter', 'secret'],
      check: ({ input = '', secret }) => {
        if (secret !== undefined) return input === '' ? null : 'give input or secret, not both';
        return input === '' ? 'input is required' : null;
      },
      execute: async ({ handle, input = '', press_enter, secret }, context) => {
        const hint = 'Spawn it again with interactive: true to write to it.';
        const newline = press_enter ?? secret !== undefined;
        const request = { id: handle, input, secret, newline, endInput: false, hint };
        return toAnswer(await writeInput(request, context), ({ bytesWritten, message }) => ({
          process_id: handle,
          ...(bytesWritten !== null && { bytes_written: bytesWritten }),
          message,
        }));
      },
    }),
    kill: action({
      permission: 'kill',
      description: 'ends a process with everything it started and returns when all of it is gone.',
      needs: ['handle'],
      takes: [],
      execute: async ({ handle }, context) =>
        toAnswer(await endProcess({ id: handle }, context), ({ view, message }) => ({
          process_id: view.id,
          status: view.status,
          message,
        })),
    }),
    signal: action({
      permission: 'kill',
      description: 'sends a signal to all of it; SIGSTOP pauses, SIGCONT resumes.',
      needs: ['handle', 'signal'],
      takes: [],
      check: ({ signal }) => findSignalProblem(signal),
      execute: async ({ handle, signal }, context) =>
        toAnswer(await signalProcess({ id: handle, signal }, context), ({ view, message }) => ({
          ...toSummary(view),
          message,
        })),
    }),
    watch: action({
      permission: 'status',
      description:
        'requests a notice each time its screen or output has not changed for the interval. Says how the notice reaches you.',
      needs: ['handle'],
      takes: ['interval_seconds'],
      execute: ({ handle, interval_seconds }, context) =>
        toAnswer(watchProcess({ id: handle, quietMs: interval_seconds * 1_000 }, context), (message) => ({
          process_id: handle,
          message,
        })),
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

/** Splits key names separated by blanks; words without any key name are one text. */
function splitKeys(keys: string): readonly string[] {
  const names = keys.split(/\s+/).filter((name) => name !== '');
  const isNamed = (name: string) => [...name].length > 1 && parseKeys([name]).ok;
  const isText = names.some(isPlainText) && !names.some(isNamed);
  return isText ? [keys] : names;
}

interface SpawnInput {
  readonly command: string;
  readonly workdir: string | undefined;
  readonly wait: boolean;
  readonly interactive: boolean;
  readonly label: string | undefined;
  readonly lifetime: CommandRequest['lifetime'];
  readonly timeout_seconds: number;
  readonly tool: string;
}

/** Starts a command, and waits for its end if requested and if it needs no input. */
async function spawnProcess(input: SpawnInput, context: ToolContext): Promise<ToolAnswer> {
  const { command, workdir: cwd, label, tool, lifetime, interactive } = input;
  const maxRunMs = input.timeout_seconds * 1_000;
  if (!input.wait || interactive) {
    const started = await startInBackground(
      { command, cwd, label, tool, lifetime, interactive, maxRunMs },
      context,
    );
    return toAnswer(started, toStartedData);
  }
  const ran = await runInForeground({ command, cwd, label, tool, lifetime, maxRunMs }, context);
  return toAnswer(ran, (result) => ({
    ...toSummary(result.view),
    ...(result.type === 'ended'
      ? toRunData(result.view.id, result.facts)
      : { message: result.message, ...toReadData(result.read) }),
  }));
}
