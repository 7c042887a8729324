import { z } from 'zod';
import { type ProcessOutput, readProcessOutput } from '../../actions/read-output.ts';
import { defineTool } from '../../define-tool.ts';
import type { ToolAnswer } from '../../tool.ts';

const streams = ['stdout', 'stderr'] as const;

/** Says nothing of how the process is, so nobody knows of its end by it. */
export const bgOutput = defineTool({
  name: 'bg_output',
  title: 'Output of a background process',
  description:
    'Shows what a background process printed: what is new since the last call, or the last lines of all.',
  permission: 'output',
  input: z.strictObject({
    id: z.string().min(1).describe('The id.'),
    lines: z.int().min(1).default(50).describe('How many lines of each stream at most.'),
    stream: z.enum(['both', 'stdout', 'stderr']).default('both').describe('Which output.'),
    since_last_read: z
      .boolean()
      .default(true)
      .describe('Only what is new; what does not fit comes with the next call.'),
  }),
  execute: async ({ id, lines, stream, since_last_read }, context): Promise<ToolAnswer> => {
    const bound = since_last_read ? { limit: lines } : { tail: lines };
    const wanted = streams.filter((each) => stream === 'both' || stream === each);
    const outcomes = wanted.map((each) =>
      readProcessOutput({ id, stream: each, sinceLastRead: since_last_read, ...bound }, context),
    );
    const refused = outcomes.find((outcome) => !outcome.ok);
    if (refused !== undefined) return refused;
    const read = outcomes.filter((outcome) => outcome.ok);
    const nothing = since_last_read ? '(nothing new)' : '(nothing)';
    return {
      ok: true,
      data: read
        .map(({ value }, index) => toSection({ stream: wanted[index] ?? '', output: value }, nothing))
        .join('\n'),
      onRecorded: () => {
        for (const { onRecorded } of read) onRecorded?.();
      },
    };
  },
});

function toSection({ stream, output }: { stream: string; output: ProcessOutput }, nothing: string): string {
  const { read, hasMore } = output;
  const text = read.text === '' ? nothing : read.text.replace(/\n$/, '');
  return `[${stream}]\n${text}${hasMore ? '\n(more with the next call)' : ''}`;
}
