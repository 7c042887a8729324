import type { Command } from 'commander';
import type { WaitFlags } from '../processes/wait-for-processes.ts';
import { addStateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';
import { idHelp } from './id-help.ts';

const toMore = (name: string) => `
It ends with the process's own exit code, 128+n after signal n, 124 after a time
limit. Of several the first code that is not 0 counts, in the order given.
Ctrl-C and --timeout end only the waiting.

Examples:
  ${name} wait build && echo it worked
  ${name} wait --timeout 5m build tests || echo "code $?"`;

export function defineWait(setup: VerbSetup): void {
  describeWait(setup.program.command('wait'), setup);
}

export function describeWait(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('wait until processes have ended')
      .description('Waits until processes have ended.')
      .argument('<id...>', idHelp)
      .option('--timeout <duration>', 'wait no longer, and end with 124: 500ms, 30s, 5m'),
    { json: 'print each as JSON when it has ended, one a line', quiet: 'print nothing' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (words: readonly string[], flags: WaitFlags) => {
      const { waitForProcesses } = await import('../processes/wait-for-processes.ts');
      end(await waitForProcesses({ words, flags, io }));
    });
}
