import type { Command } from 'commander';
import type { KillFlags } from '../processes/kill-processes.ts';
import { addStateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';
import { idHelp } from './id-help.ts';

const toMore = (name: string) => `
It says what became of each, and ends with 0 if all are proven gone. On a
terminal it asks first.

Examples:
  ${name} kill build
  ${name} kill -f -s INT --grace 30s server worker
  ${name} kill -f $(${name} ps -q)`;

export function defineKill(setup: VerbSetup): void {
  describeKill(setup.program.command('kill'), setup);
}

export function describeKill(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('end processes')
      .description('Ends processes with everything they started, and waits until they are gone.')
      .argument('<id...>', idHelp)
      .option('-f, --force', 'do not ask')
      .option('-s, --signal <signal>', 'the first signal (TERM); KILL follows')
      .option('--grace <duration>', 'from the first signal to KILL: 500ms, 30s, 5m'),
    { json: 'print one JSON array', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (words: readonly string[], flags: KillFlags) => {
      const { killProcesses } = await import('../processes/kill-processes.ts');
      end(await killProcesses({ words, flags, io }));
    });
}
