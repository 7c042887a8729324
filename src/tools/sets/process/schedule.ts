import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { findProcess } from '../../find-process.ts';

/** Schedules come with a later version; this is the tool's final shape. */
export const schedule = defineTool({
  name: 'schedule',
  title: 'Schedule a reminder',
  description:
    'Not available yet. Reminds you later: once, or every so many seconds. A reminder that belongs to a process is cancelled when that ends.',
  permission: 'other',
  input: z.strictObject({
    action: z.enum(['add', 'list', 'cancel']).default('add').describe('What to do.'),
    message: z.string().min(1).optional().describe('What to remind you of.'),
    after_seconds: z.number().positive().optional().describe('Once, after so long.'),
    every_seconds: z.number().positive().optional().describe('Again and again.'),
    process_id: z.string().min(1).optional().describe('The process that it belongs to.'),
    schedule_id: z.string().min(1).optional().describe('Which one to cancel.'),
  }),
  check: (input) => {
    if (input.action === 'cancel') return input.schedule_id === undefined ? 'schedule_id is required' : null;
    if (input.action === 'list') return null;
    if (input.message === undefined) return 'message is required';
    const isTimed = input.after_seconds !== undefined || input.every_seconds !== undefined;
    return isTimed ? null : 'after_seconds or every_seconds is required';
  },
  execute: async ({ action, process_id, schedule_id }, context) => {
    if (process_id !== undefined) {
      const found = findProcess(process_id, context);
      if ('ok' in found) return found;
    }
    if (action === 'list') return { ok: true, data: { schedules: [] } };
    if (action === 'cancel')
      return { ok: false, error: `Schedule ${JSON.stringify(schedule_id)} not found.`, worked: true };
    return {
      ok: false,
      error: 'Schedules are not available yet. Wait with wait_for and timeout_seconds instead.',
      worked: true,
    };
  },
});
