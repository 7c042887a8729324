import { first, firstValueFrom } from 'rxjs';
import { z } from 'zod';
import { isEnded, toRevealed, toSummary } from './process-summary.ts';
import { defineTool } from './tool.ts';

/** What is shown of the output of a process that has just come up. */
const MAX_FIRST_BYTES = 2_000;

export const startProcess = defineTool({
  name: 'start_process',
  description:
    'Starts a command in the background, such as a server or a watcher. With a readiness condition it answers when the process can ' +
    'be used. A notice comes by itself when it ends; there is no need to poll.',
  input: z.strictObject({
    command: z.string().describe('Text for the shell.'),
    cwd: z.string().optional().describe('Where to run it.'),
    label: z.string().min(1).optional().describe('A short name of your choice.'),
    ready_line: z.string().min(1).optional().describe('It is ready when it prints a line with this text.'),
    ready_port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('It is ready when it listens on this TCP port.'),
    ready_url: z.url().optional().describe('It is ready when this address answers.'),
    force: z.boolean().default(false).describe('Start it although the same command already runs.'),
    ready_within_seconds: z.number().positive().optional().describe('How long to wait for that. Default 30.'),
  }),
  execute: async (input, { supervisor, owner }) => {
    const { command, cwd, label } = input;
    const handle = supervisor.start({
      command,
      owner,
      tool: 'start_process',
      background: true,
      onDuplicate: 'refuse',
      force: input.force,
      ...(cwd !== undefined && { cwd }),
      ...(label !== undefined && { label }),
      ...toReadiness(input),
    });
    await firstValueFrom(handle.view$.pipe(first((view) => view.status !== 'pending' || view.queued)));
    if (handle.status !== 'pending') await handle.ready();
    const view = handle.view();
    const { text } = handle.read({ maxBytes: MAX_FIRST_BYTES });
    const message = isEnded(view)
      ? 'It has ended already.'
      : `It runs in the background as ${handle.id}. A notice comes by itself when it ends; there is no need to poll.`;
    return { ok: true, data: { ...toSummary(view), message, output: text }, reveals: toRevealed(view) };
  },
});

interface ReadinessInput {
  readonly ready_line?: string | undefined;
  readonly ready_port?: number | undefined;
  readonly ready_url?: string | undefined;
  readonly ready_within_seconds?: number | undefined;
}

function toReadiness({ ready_line, ready_port, ready_url, ready_within_seconds }: ReadinessInput) {
  if (ready_line === undefined && ready_port === undefined && ready_url === undefined) return {};
  return {
    ready: {
      ...(ready_line !== undefined && { line: ready_line }),
      ...(ready_port !== undefined && { port: ready_port }),
      ...(ready_url !== undefined && { http: ready_url }),
      ...(ready_within_seconds !== undefined && { within: ready_within_seconds * 1_000 }),
    },
  };
}
