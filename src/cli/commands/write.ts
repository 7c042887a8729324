import type { Command } from 'commander';
import type { WriteFlags } from '../processes/write-input.ts';
import { addStateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';
import { idHelp } from './id-help.ts';

const toMore = (name: string) => `
Without a text, or with -, stdin is passed on as it is. With --eof alone nothing
is written. Behind -- a text may begin with a dash.

Examples:
  ${name} write repl 'print(1)'
  ${name} write repl --no-newline -- -y
  ${name} write sorter --eof - < words.txt`;

export function defineWrite(setup: VerbSetup): void {
  describeWrite(setup.program.command('write'), setup);
}

export function describeWrite(command: Command, { program, io, end }: VerbSetup): void {
  addStateFlags(
    command
      .summary('write to the input of a process')
      .description('Writes a line, or what stands on stdin, to the input of a process.')
      .argument('<id>', idHelp)
      .argument('[text...]', 'words of one line')
      .option('--no-newline', 'write the text without the end of a line')
      .option('--eof', 'then end its input'),
    { json: 'print {"bytesWritten", "inputEnded", "error"}', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(program.name()))
    .action(async (word: string, text: readonly string[], flags: WriteFlags) => {
      const { writeInput } = await import('../processes/write-input.ts');
      end(await writeInput({ word, text, flags, io }));
    });
}
