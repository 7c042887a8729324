import { z } from 'zod';
import type { CommandFacts } from '../process/result-envelope.ts';

const leftover = z.object({
  pid: z.int(),
  command: z.string(),
  ports: z.array(z.int()).describe('TCP ports on which it listens'),
});

/** Described within: zod writes a bare nullable text as a list of types, which not every client of MCP takes. */
export const signalName = z.string().describe('the signal that ended it');

/** The data of an answer about a command that was run, whether it has ended or is in the background. */
export const runData = z.looseObject({
  process_id: z.string(),
  exit_code: z.int().nullable().optional().describe('null where it did not exit by itself'),
  signal: signalName.nullable().optional(),
  output: z.string().describe('stdout and stderr in order of arrival'),
  truncated: z.boolean().optional().describe('output is not all that it printed'),
  dropped_bytes: z.int().optional().describe('how many bytes are missing in output'),
  leftovers: z.array(leftover).optional().describe('what it has left running'),
  suspects: z
    .array(leftover)
    .optional()
    .describe('what it has perhaps left running: it hides who started it, and no kill of this id reaches it'),
  status: z.string().optional().describe('where it goes on'),
  message: z.string().optional().describe('where it goes on: how to follow it'),
});

/** What a model is told of a command that has ended, well or not. */
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
