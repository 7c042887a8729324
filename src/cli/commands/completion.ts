import type { CompletionShell } from '../completion/scripts.ts';
import type { DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
  bash   source <(${name} completion bash)      in ~/.bashrc
  zsh    ${name} completion zsh > "\${fpath[1]}/_troupe"
  fish   ${name} completion fish > ~/.config/fish/completions/troupe.fish`;

export const define: DefineVerb = (command, { name, io }) => {
  command
    .description('Prints a script that completes verbs, options, ids and labels.')
    .addArgument(command.createArgument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', toMore(name))
    .action(async (shell: CompletionShell) => {
      const { completionScripts } = await import('../completion/scripts.ts');
      io.stdout.write(completionScripts[shell]);
    });
};
