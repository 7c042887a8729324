import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';
import type { WatchFlags } from '../watch/watch-process.ts';

const toMore = (name: string) => `
Of a process with a terminal the screen counts, of another one its output.
Silence is told once, and again after a change. Ctrl-C ends only the watching.

Examples:
  ${name} watch build                      when it is quiet for 5 s
  ${name} watch build --quiet 30s --once
  ${name} watch server --pattern 'error|warn' --json`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Tells when a process has gone quiet, or prints a line that matches.')
      .argument('<id>', idHelp)
      .option('--quiet <duration>', 'when nothing has changed for so long (5s)')
      .option('--pattern <pattern>', 'when a line matches this regular expression')
      .option('--once', 'end at the first news; with 1 if there are none'),
    { json: 'print each as JSON, one a line' },
  )
    .addHelpText('after', toMore(name))
    // Elsewhere it is a flag that keeps a verb from speaking.
    .action(async (word: string, { quiet, ...flags }: WatchFlags & { quiet?: string }) => {
      const { watchProcess } = await import('../watch/watch-process.ts');
      end(
        await watchProcess({
          word,
          flags: { ...flags, ...(quiet !== undefined && { quietFor: quiet }) },
          io,
        }),
      );
    });
};
