import { collect, restartWords } from '../flag-values.ts';
import type { StartFlags } from '../start/start-flags.ts';
import type { DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
What it can be ready by; all that are given must hold:
  line:TEXT, line:/EXPRESSION/   a line of its output
  port:NUMBER                    it listens there
  http:URL                       an answer 2xx or 3xx
  file:PATH                      a file appears
  alive:DURATION                 it has lived for so long

It runs in a daemon that is started on demand and ends when it is idle. Unless
--session is given, it goes on when the daemon ends, and is taken over again.
With --interactive that takes tmux; without tmux it ends with the daemon.

  id=$(${name} start --name web --ready port:3000 -- npm run dev)
  ${name} logs -f web
  ${name} kill web
  ${name} start --name editor --interactive -- vim && ${name} attach editor`;

export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description('Starts a command in the background, in this environment, and prints its id.')
    .argument('<command...>', 'the program and its arguments')
    .usage('[options] [--] <command...>')
    .passThroughOptions()
    .option('-c, --shell', 'the command is one text for the shell')
    .option('-n, --name <label>', 'a name for it, beside its id')
    .option('-C, --cwd <directory>', 'where it runs')
    .option('-e, --env <NAME=value>', 'add to its environment; can be repeated', collect)
    .option('--ready <condition>', 'wait until it is ready; can be repeated', collect)
    .option('--ready-within <duration>', 'how long that may take (30s)')
    .option('--no-wait', 'do not wait until it is ready')
    .addOption(
      command
        .createOption('--restart <when>', 'start it again when it has ended (never)')
        .choices(restartWords.slice(0, 3)),
    )
    .option('--max-time <duration>', 'it is ended when it has run for so long')
    .option('--grace <duration>', 'from the signal that ends it to SIGKILL (5s)')
    .option('--session', 'it ends with the daemon')
    .option('--interactive', 'give it a terminal')
    .option('--size <size>', 'of its terminal: columns and rows (80x24)')
    .option('-q, --quiet', 'print the id and nothing else')
    .option('--json', 'print all about it as one JSON object')
    .option('--state-dir <directory>', 'where records and logs are kept')
    .addHelpText('after', toMore(name))
    .action(async (words: readonly string[], flags: StartFlags) => {
      const { startCommand } = await import('../start/start-command.ts');
      end(await startCommand({ words, flags, io }));
    });
};
