import type { DefineVerb } from '../verb.ts';

export const define: DefineVerb = (command, { io, end }) => {
  command
    .description('Makes a project with one agent: agents/assistant.yaml, README.md and .gitignore.')
    .argument('[directory]', 'where; it is made if need be', '.')
    .option('-f, --force', 'overwrite files that are there')
    .action(async (directory: string, { force = false }: { force?: boolean }) => {
      const { initProject } = await import('../init/init-project.ts');
      end(initProject({ directory, overwrites: force, io }));
    });
};
