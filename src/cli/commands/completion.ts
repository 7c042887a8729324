import { Argument } from 'commander';
import type { CompletionShell } from '../completion/scripts.ts';
import type { VerbSetup } from '../verb.ts';

const toMore = (name: string) => `
  bash   source <(${name} completion bash)      in ~/.bashrc
  zsh    ${name} completion zsh > "\${fpath[1]}/_troupe"
  fish   ${name} completion fish > ~/.config/fish/completions/troupe.fish`;

export function defineCompletion({ program, io, end }: VerbSetup): void {
  program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Prints a script that completes verbs, options, ids and labels.')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', toMore(program.name()))
    .action(async (shell: CompletionShell) => {
      const { completionScripts } = await import('../completion/scripts.ts');
      io.stdout.write(completionScripts[shell]);
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const { printCompletion } = await import('../completion/print-completion.ts');
      end(await printCompletion(words, { program, io }));
    });
}
