import { z } from 'zod';
import { toRevealed } from './process-summary.ts';
import { defineTool } from './tool.ts';

export const runCommand = defineTool({
  name: 'run_command',
  description:
    'Runs a command in the shell and waits for its output. One that takes longer than the time-out goes on in the background: ' +
    'you get its id at once and a notice when it ends.',
  input: z.strictObject({
    command: z.string().describe('Text for the shell.'),
    cwd: z.string().optional().describe('Where to run it.'),
    timeout_seconds: z.number().positive().optional().describe('How long to wait for it.'),
    label: z.string().min(1).optional().describe('A short name of your choice.'),
  }),
  execute: async ({ command, cwd, timeout_seconds, label }, { supervisor, owner }) => {
    const handle = supervisor.start({
      command,
      owner,
      tool: 'run_command',
      ...(cwd !== undefined && { cwd }),
      ...(timeout_seconds !== undefined && { timeout: timeout_seconds * 1_000 }),
      ...(label !== undefined && { label }),
    });
    const { ok, process, ...said } = await handle.result();
    const reveals = process?.status === 'backgrounded' ? [] : toRevealed(handle.view());
    if (!ok)
      return { ok: false, error: String('error' in said ? said['error'] : JSON.stringify(said)), reveals };
    const result = 'data' in said ? said['data'] : said;
    if (process?.status === 'backgrounded') return { ok: true, data: result };
    return {
      ok: true,
      data: { process_id: handle.id, exit_code: process?.code ?? null, output: result },
      reveals,
    };
  },
});
