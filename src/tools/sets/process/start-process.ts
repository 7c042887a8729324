import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { startInBackground } from '../../actions/start-in-background.ts';
import { toStartedData } from '../../answer-data.ts';
import { defineTool } from '../../define-tool.ts';
import { onEnd } from '../../notice-words.ts';
import { command, cwd, label, lifetime, outsideSandbox, toStart } from '../fields.ts';

export const startProcess = defineTool({
  name: 'start_process',
  title: 'Start a background process',
  description: (notices) =>
    `Starts a command in the background, such as a server or a watcher. ${onEnd(notices)} ` +
    'With a readiness condition it answers when the process can ' +
    'be used. Programs that a person would use by hand (an editor, a pager, a debugger, a shell, a wizard with menus) are started with ' +
    'interactive: true; the answer says whether they got a terminal.',
  permission: 'start',
  input: z.strictObject({
    command,
    cwd,
    label,
    outside_sandbox: outsideSandbox,
    stdin: z
      .boolean()
      .default(false)
      .describe('Opens its input for write_process; without it, reading gives end-of-file.'),
    interactive: z
      .boolean()
      .default(false)
      .describe(
        'Gives it a terminal, for send_keys and capture_screen; where none can be had, a pipe for write_process.',
      ),
    ready_line: z.string().min(1).optional().describe('It is ready when it prints a line with this text.'),
    ready_port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('It is ready when it listens on this TCP port.'),
    ready_url: z.url().optional().describe('It is ready when this address answers.'),
    ready_within_seconds: z.number().positive().optional().describe('How long to wait for that. Default 30.'),
    lifetime,
    force: z.boolean().default(false).describe('Start it although the same command already runs.'),
  }),
  intend: (input) => ({ permission: 'start', start: toStart(input) }),
  execute: async (input, context) => {
    const { command, cwd, label, stdin, interactive, lifetime, force } = input;
    const outcome = await startInBackground(
      {
        command,
        cwd,
        label,
        stdin,
        interactive,
        lifetime,
        force,
        ready: toReadiness(input),
        tool: 'start_process',
      },
      context,
    );
    return toAnswer(outcome, toStartedData);
  },
});

interface ReadinessInput {
  readonly ready_line?: string | undefined;
  readonly ready_port?: number | undefined;
  readonly ready_url?: string | undefined;
  readonly ready_within_seconds?: number | undefined;
}

function toReadiness({ ready_line, ready_port, ready_url, ready_within_seconds }: ReadinessInput) {
  if (ready_line === undefined && ready_port === undefined && ready_url === undefined) return undefined;
  return {
    ...(ready_line !== undefined && { line: ready_line }),
    ...(ready_port !== undefined && { port: ready_port }),
    ...(ready_url !== undefined && { http: ready_url }),
    ...(ready_within_seconds !== undefined && { within: ready_within_seconds * 1_000 }),
  };
}
