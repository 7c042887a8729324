import { z } from 'zod';
import { scheduleBounds } from '../../../config/schedule-bounds.ts';
import type { ScheduleView } from '../../../schedules/schedule.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { addSchedule, cancelSchedule, listSchedules } from '../../actions/schedules.ts';
import { defineTool } from '../../define-tool.ts';
import { onRequest } from '../../notice-words.ts';

const maxSeconds = scheduleBounds.maxSpanMs / 1_000;

export const schedule = defineTool({
  name: 'schedule',
  title: 'Schedule a reminder',
  description: (notices) =>
    `Schedules a reminder, once or at intervals. ${onRequest(notices)} ` +
    'A reminder that belongs to a ' +
    'process is cancelled when the process ends. Not for the end of a process or its output: use watch_process or wait_for.',
  permission: 'other',
  input: z.strictObject({
    action: z.enum(['add', 'list', 'cancel']).default('add').describe('What to do.'),
    message: z
      .string()
      .min(1)
      .optional()
      .describe('add: what to remind you of, with everything you will need to know.'),
    after_seconds: z
      .number()
      .positive()
      .max(maxSeconds)
      .optional()
      .describe('add: once, after this delay; at most 10 years.'),
    every_seconds: z
      .number()
      .min(1)
      .max(maxSeconds)
      .optional()
      .describe('add: repeatedly, at this interval; at least 1, at most 10 years.'),
    process_id: z.string().min(1).optional().describe('add: process that it belongs to.'),
    schedule_id: z.string().min(1).optional().describe('cancel: id of the reminder.'),
  }),
  aliases: {
    fields: { task: 'message', process_handle: 'process_id' },
    values: { action: { create: 'add' } },
  },
  check: (input) => {
    if (input.action === 'cancel') return input.schedule_id === undefined ? 'schedule_id is required' : null;
    if (input.action === 'list') return null;
    if (input.message === undefined) return 'message is required';
    const { after_seconds, every_seconds } = input;
    if (after_seconds === undefined && every_seconds === undefined)
      return 'after_seconds or every_seconds is required';
    return after_seconds === undefined || every_seconds === undefined
      ? null
      : 'give after_seconds or every_seconds, not both';
  },
  execute: async (input, context) => {
    const { action, message = '', after_seconds, every_seconds, process_id, schedule_id = '' } = input;
    if (action === 'list')
      return toAnswer(listSchedules(context), (schedules) => ({ schedules: schedules.map(toData) }));
    if (action === 'cancel')
      return toAnswer(cancelSchedule({ id: schedule_id }, context), (said) => ({ message: said }));
    const wanted = {
      message,
      afterMs: toMs(after_seconds),
      everyMs: toMs(every_seconds),
      processId: process_id,
    };
    return toAnswer(addSchedule(wanted, context), ({ schedule: added, message: said }) => ({
      ...toData(added),
      message: said,
    }));
  },
});

function toData({ id, message, everyMs, nextAt, processId, told }: ScheduleView) {
  return {
    schedule_id: id,
    reminder: message,
    ...(everyMs !== null && { every_seconds: everyMs / 1_000 }),
    next_at: toTime(nextAt),
    ...(processId !== null && { process_id: processId }),
    told,
  };
}

/** Formats a time; a changed system clock may put it outside the range of `Date`. */
function toTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : time.toISOString();
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1_000);
}
