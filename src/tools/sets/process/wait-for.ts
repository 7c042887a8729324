import { z } from 'zod';
import { formatDuration } from '../../../config/duration.ts';
import { toClause } from '../../../config/quote.ts';
import { describeEnd } from '../../../process/describe-end.ts';
import { isEnded } from '../../../process/process-view.ts';
import type { ConditionName } from '../../../process/waited.ts';
import { toLoopbackAddresses } from '../../../readiness/loopback.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { type WaitedFor, waitFor as wait } from '../../actions/wait-for.ts';
import { toMissingData } from '../../answer-data.ts';
import { defineTool } from '../../define-tool.ts';
import { toSummary } from '../../process-summary.ts';
import { processId } from '../fields.ts';

const port = z.int().min(1).max(65_535);

export const waitFor = defineTool({
  name: 'wait_for',
  title: 'Wait for a process',
  description:
    'Waits for a condition of a process: it has ended (the default), prints a text or ' +
    'a matching line, is ready, is quiet, serves a port or an address, has written a file, or waits for input. One call instead of many ' +
    'checks. Changes nothing: after a time-out the process continues.',
  permission: 'output',
  input: z.strictObject({
    process_id: processId,
    exit: z.boolean().default(false).describe('It has ended.'),
    text: z.string().min(1).optional().describe('Its output contains this text.'),
    pattern: z
      .string()
      .min(1)
      .optional()
      .describe('A line of its output matches this JavaScript regular expression.'),
    ready: z.boolean().default(false).describe('It is ready, by the condition that start_process was given.'),
    quiet_seconds: z.number().positive().optional().describe('It has printed nothing for this long.'),
    port: port
      .optional()
      .describe(
        'It listens on this TCP port; if another process does, the call returns at once and names it.',
      ),
    port_free: port.optional().describe('No process listens on this TCP port any more.'),
    http: z
      .string()
      .refine(isHere, { error: 'an address of this machine, such as "http://127.0.0.1:3000/"' })
      .optional()
      .describe('It answers at this address of this machine, such as http://127.0.0.1:3000/health.'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'This file exists and was written since its start; a relative path starts at its working directory.',
      ),
    input: z.boolean().default(false).describe('It waits for keyboard input.'),
    mode: z.enum(['any', 'all']).default('any').describe('Whether any or all of the conditions must hold.'),
    from: z
      .enum(['unread', 'now', 'start'])
      .default('unread')
      .describe(
        'Where to search for text and pattern: in unread output, in output from now on, or in all output.',
      ),
    timeout_seconds: z.number().positive().default(120).describe('Maximum time to wait.'),
  }),
  intend: () => ({ permission: 'output', waits: true }),
  execute: async (input, context) => {
    const { process_id: id, quiet_seconds, port_free, timeout_seconds, ...same } = input;
    const request = {
      ...same,
      id,
      ...(quiet_seconds !== undefined && { quiet: quiet_seconds * 1_000 }),
      ...(port_free !== undefined && { portFree: port_free }),
      timeout: timeout_seconds * 1_000,
    };
    return toAnswer(await wait(request, context), toData);
  },
});

function toData(waited: WaitedFor) {
  const { process, end, met, missing, waitedMs, matchedLine, read } = waited;
  return {
    ...toSummary(process),
    result: end.type,
    met: met.map(toField),
    missing: missing.map(toField),
    waited_seconds: Math.round(waitedMs / 100) / 10,
    ...(matchedLine !== null && { matched_line: matchedLine }),
    message: describe(waited),
    new_output: read.text,
    ...toMissingData(read),
  };
}

function describe({ process, end, met, missing, impossible, waitedMs }: WaitedFor): string {
  const names = (conditions: readonly ConditionName[]) => conditions.map(toField).join(', ');
  switch (end.type) {
    case 'met':
      return `Met: ${names(met)}.`;
    case 'ended':
      return `Not ${names(missing)}: the process ${isEnded(process) ? describeEnd(process.reason, process.exit) : 'has ended'}.${because(impossible)}`;
    case 'timeout':
      return `Not ${names(missing)} within ${formatDuration(waitedMs)}. The process continues.${because(impossible)}`;
    case 'interrupted':
      return 'Interrupted. The process continues.';
    case 'impossible':
      return `It cannot be met: ${toClause(end.why)}.`;
  }
}

/** Explains conditions that became impossible while others were waited for. */
function because(reasons: readonly string[]): string {
  return reasons.map((reason) => ` ${toClause(reason)}.`).join('');
}

/** Returns the tool's field name. */
function toField(name: ConditionName): string {
  return name === 'portFree' ? 'port_free' : name;
}

/** Restricts addresses to this machine: permission to wait does not include sending requests elsewhere. */
function isHere(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && toLoopbackAddresses(url.hostname).length > 0;
}
