import type { UpFlags } from '../up/up-flags.ts';
import type { DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
The file:
  processes:
    db:
      command: [postgres, -D, data]
      ready: { port: 5432 }
      stop_signal: INT
    migrate:
      command: npm run migrate
      depends_on: [db]
    web:
      command: npm run dev
      depends_on: { db: ready, migrate: completed }
      env_file: .env
      env: { PORT: 3000 }
      ready: { http: "http://127.0.0.1:3000/" }
      restart: on-failure

Also: cwd, shell, interactive, one_shot, kill_grace, max_background_time,
leftovers. Beside processes: env for all, and strategy: with oneForAll or
restForOne others are restarted with one that failed.

With names it starts those and what they depend on. Given again while some run,
it starts what is missing, restarts what has changed in the file, leaves the
rest alone, and names what the file has no more.

Ctrl-C stops all in reverse order, a second one kills at once; so does, in
order, ${name} down from another shell.`;

export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description(
      'Starts the processes of a file, in order, and shows what they print until they are stopped.',
    )
    .argument('[words...]', 'the file, by default the nearest troupe.yaml upwards; and names of processes')
    .usage('[options] [file] [name...]')
    .option('-d, --detach', 'return when all are ready; they go on without this program')
    .option('--state-dir <directory>', 'where records and logs are kept')
    .addHelpText('after', toMore(name))
    .action(async (words: readonly string[], flags: UpFlags) => {
      const { runUp } = await import('../up/run-up.ts');
      end(await runUp({ words, flags, io }));
    });
};
