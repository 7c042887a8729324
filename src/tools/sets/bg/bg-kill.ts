import { z } from 'zod';
import { type EndedProcess, endProcess } from '../../actions/end-process.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { defineTool } from '../../define-tool.ts';
import { toSeconds } from './bg-text.ts';

export const bgKill = defineTool({
  name: 'bg_kill',
  title: 'End a background process',
  description: 'Ends a background process with everything it started, and answers when all of it is gone.',
  permission: 'kill',
  input: z.strictObject({
    id: z.string().min(1).describe('The id.'),
    signal: z.enum(['SIGTERM', 'SIGKILL', 'SIGINT']).default('SIGTERM').describe('The first signal.'),
  }),
  execute: async (input, context) => toAnswer(await endProcess(input, context), toText),
});

function toText({ view, type, message }: EndedProcess): string {
  if (view.status !== 'killed' || type === 'notRunning' || type === 'leftoversEnded') return message;
  return `Killed ${view.id} after ${toSeconds(view.runtimeMs)}.`;
}
