import type { VerbSetup } from '../verb.ts';

export function defineInit({ program, io, end }: VerbSetup): void {
  program
    .command('init')
    .summary('make a project with an agent')
    .description('Makes a project with one agent: agents/assistant.yaml, README.md and .gitignore.')
    .argument('[directory]', 'where; it is made if need be', '.')
    .option('-f, --force', 'overwrite files that are there')
    .action(async (directory: string, { force = false }: { force?: boolean }) => {
      const { initProject } = await import('../init/init-project.ts');
      end(initProject({ directory, overwrites: force, io }));
    });
}
