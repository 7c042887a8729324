import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';
import { type ConditionFlags, parseConditions } from '../wait/read-conditions.ts';
import type { WaitFlags } from '../wait/wait-for-each.ts';

const toMore = (name: string) => `
It ends with the process's own exit code, 128+n after signal n, 124 after a time
limit. Of several the first code that is not 0 counts, in the order given.
Ctrl-C and --timeout end only the waiting.

With a condition it ends with 0 when that holds, and with 1 when it cannot hold
any more, because the process has ended or somebody else has the port. A line
may have been printed before. A file that is older than the process does not
count, and a relative path counts from where the process runs, not from here.

Examples:
  ${name} wait build && echo it worked
  ${name} wait --timeout 5m build tests || echo "code $?"
  ${name} wait web --port 3000 --text ready --all --timeout 30s`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Waits until processes have ended, or until something holds of each.')
      .argument('<id...>', idHelp)
      .option('--timeout <duration>', 'wait no longer, and end with 124: 500ms, 30s, 5m')
      .option('--exit', 'until it has ended; so it is without a condition')
      .option('--ready', 'until it is ready, by what was declared at its start')
      .option('--text <text>', 'until a line of its output contains this')
      .option('--pattern <pattern>', 'until a line matches this regular expression')
      .option('--port <port>', 'until it listens on this port')
      .option('--port-free <port>', 'until nobody listens on this port')
      .option('--http <url>', 'until it answers 2xx or 3xx there')
      .option('--file <path>', 'until the file is there, written since its start')
      .option('--quiet-for <duration>', 'until it has printed nothing for so long')
      .option('--input', 'until it waits for somebody to type')
      .option('--any', 'one of the conditions is enough (so it is)')
      .option('--all', 'each of the conditions must have held'),
    { json: 'print each as JSON when it has ended, one a line', quiet: 'print nothing' },
  )
    .addHelpText('after', toMore(name))
    .action(async (words: readonly string[], flags: WaitFlags & ConditionFlags) => {
      const order = parseConditions(flags);
      if (order !== null) {
        const { waitForConditions } = await import('../wait/wait-for-conditions.ts');
        return end(await waitForConditions({ words, order, flags, io }));
      }
      const { waitForProcesses } = await import('../processes/wait-for-processes.ts');
      end(await waitForProcesses({ words, flags, io }));
    });
};
