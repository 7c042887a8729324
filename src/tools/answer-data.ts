import { z } from 'zod';
import { cutText } from '../output/cut-text.ts';
import type { OutputRead } from '../output/read-output.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { CommandFacts } from '../process/result-envelope.ts';
import type { ProcessOutput } from './actions/read-output.ts';
import type { StartedProcess } from './actions/start-in-background.ts';
import type { SentKeys, ShownScreen } from './actions/terminals.ts';
import { toSummary } from './process-summary.ts';

/** Described inside: zod writes a bare nullable string as a list of types, which some MCP clients reject. */
const signalName = z.string().describe('signal that ended it');

/** Schema of the result of `toOutputData`. */
export const outputData = z.looseObject({
  process_id: z.string(),
  status: z.string(),
  exit_code: z.int().nullable().optional(),
  signal: signalName.nullable().optional(),
  output: z.string().describe('stdout and stderr in order of arrival, unless one of them was requested'),
  truncated: z.boolean().optional().describe('output is less than requested'),
  dropped_bytes: z.int().optional().describe('number of bytes missing in output'),
  more: z.boolean().optional().describe('more output followed'),
});

/** Returns the output read, with the state of its process. */
export function toOutputData({ view, read, hasMore }: ProcessOutput) {
  return {
    process_id: view.id,
    status: view.status,
    ...('exit' in view && { exit_code: view.exit?.code ?? null, signal: view.exit?.signal ?? null }),
    ...toReadData(read),
    ...(hasMore && { more: true }),
  };
}

/** Returns the output read, and whether parts of it are missing. */
export function toReadData(read: OutputRead) {
  return { output: read.text, ...toMissingData(read) };
}

/** Describes missing output; empty where nothing is missing. */
export function toMissingData(read: OutputRead) {
  return {
    ...(read.truncated && { truncated: true }),
    ...(read.omittedBytes > 0 && { dropped_bytes: read.omittedBytes }),
  };
}

const leftover = z.object({
  pid: z.int(),
  command: z.string(),
  ports: z.array(z.int()).describe('TCP ports that it listens on'),
});

/** Data of an answer about a command, whether it has ended or runs in the background. */
export const runData = z.looseObject({
  process_id: z.string(),
  exit_code: z.int().nullable().optional().describe('null if it did not exit by itself'),
  signal: signalName.nullable().optional(),
  output: z.string().describe('stdout and stderr in order of arrival'),
  truncated: z.boolean().optional().describe('output is incomplete'),
  dropped_bytes: z.int().optional().describe('number of bytes missing in output'),
  leftovers: z.array(leftover).optional().describe('processes it left running'),
  suspects: z
    .array(leftover)
    .optional()
    .describe(
      'processes it may have left running: they hide their origin, and killing this id does not reach them',
    ),
  status: z.string().optional().describe('if it continues'),
  message: z.string().optional().describe('if it continues: how to follow it'),
});

/** Describes an ended command to a model, successful or not. */
export function toRunData(id: string, facts: CommandFacts) {
  const { exitCode, signal, output, truncated, droppedBytes, leftovers, suspects } = facts;
  return {
    process_id: id,
    exit_code: exitCode,
    signal,
    output,
    ...(truncated && { truncated }),
    ...(droppedBytes > 0 && { dropped_bytes: droppedBytes }),
    ...(leftovers.length > 0 && { leftovers }),
    ...(suspects.length > 0 && { suspects }),
  };
}

/**
 * Limit for the screen, and the same again for its scrollback. A usual screen has 2 KB; this suffices for more than
 * 200 columns.
 */
const MAX_SCREEN_BYTES = 16 * 1024;

/** Describes a screen to a model. Rows and columns count from 1; blank lines at the bottom are omitted. */
export function toScreenData({ view, screen }: ShownScreen) {
  const { cursor, scrollback, lines, highlights = [] } = screen;
  const { awaits_input } = toSummary(view);
  return {
    process_id: view.id,
    status: view.status,
    columns: screen.columns,
    rows: screen.rows,
    cursor: { row: cursor.row + 1, column: cursor.column + 1, ...(!cursor.isVisible && { hidden: true }) },
    ...(screen.isAlternate && { full_screen: true }),
    ...(screen.title !== null && { title: screen.title }),
    ...(screen.isLast && { last: true }),
    ...(awaits_input !== undefined && { awaits_input }),
    ...(scrollback.length > 0 && { scrolled_out: cut(scrollback.join('\n')) }),
    ...(highlights.length > 0 && {
      highlighted: highlights.map(({ row, text }) => ({ row: row + 1, text })),
    }),
    screen: cut(lines.join('\n').trimEnd()),
  };
}

/** Describes the typed input, and the screen where it was requested. */
export function toSentData(processId: string, { message, shown }: SentKeys) {
  if (shown === null) return { process_id: processId, message };
  return { ...toScreenData(shown), message };
}

function cut(text: string): string {
  return cutText([{ type: 'text', text }], { maxBytes: MAX_SCREEN_BYTES, where: '' }).text;
}

/** Describes the outcome of requesting a terminal; empty where none was requested. */
function toTerminalData({ terminal }: ProcessView) {
  if (terminal === null) return {};
  if (terminal.type === 'none') return { terminal: 'none' };
  const { columns, rows, attach } = terminal;
  return { terminal: `${columns}x${rows}`, ...(attach !== null && { attach: attach.join(' ') }) };
}

/** Describes a process that has just started, with its first output. */
export function toStartedData({ view, message, read, shown }: StartedProcess) {
  const seen = { ...toSummary(view), ...toTerminalData(view), message };
  if (shown === null) return { ...seen, ...(read !== null && toReadData(read)) };
  const { screen, cursor } = toScreenData(shown);
  return { ...seen, cursor, screen };
}
