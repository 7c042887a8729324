import { collect } from '../flag-values.ts';
import type { RunFlags } from '../run/run-request.ts';
import type { DefineVerb } from '../verb.ts';

const toMore = (name: string) => `
Our options stand before the command, or before --; what follows is the
command's own. At a terminal it has one of its own that yours shows: keys go to
it, Ctrl-C and Ctrl-Z too. Where stdin, stdout or stderr goes elsewhere, and
with --json, --stdin or a --timeout, it has pipes; stdin is handed on unless it
is a terminal.

Exit code: that of the command; 128+n where signal n ended it, 124 where a time
limit did, 126 and 127 as in a shell, 125 where troupe itself failed.

In pipes Ctrl-C is passed on to it; a second one kills it at once. What the
command leaves running is ended with it, unless it went to the background.

With --interactive it runs in a terminal of the daemon, and yours shows it. Who
leaves it leaves it running; it ends when your terminal is closed.

  ${name} run -- npm test
  ${name} run --timeout 10s -- npm run build
  ${name} run --shell "sleep 1 | cat"
  ${name} run --interactive -- vim notes.txt`;

export const define: DefineVerb = (command, { name, io, end }) => {
  command
    .description('Runs a command under supervision and ends with its exit code.')
    .argument('<command...>', 'the program and its arguments')
    .usage('[options] [--] <command...>')
    .passThroughOptions()
    .option('-c, --shell', 'the command is one text for the shell')
    .option('--timeout <duration>', 'how long to wait for it: seconds, or 500ms, 30s, 5m')
    .addOption(
      command
        .createOption('--on-timeout <what>', 'what then becomes of it (background)')
        .choices(['background', 'kill', 'wait']),
    )
    .option('--max-time <duration>', 'it is ended when it has run for so long')
    .option('--grace <duration>', 'from the signal that ends it to SIGKILL (5s)')
    .option('-b, --background', 'run it in the background from the start')
    .option('--interactive', 'in a terminal of the daemon; Ctrl-] leaves it running')
    .option('-n, --name <label>', 'a name for it, beside its id')
    .option('-C, --cwd <directory>', 'where it runs')
    .option('-e, --env <NAME=value>', 'add to its environment; can be repeated', collect)
    .option('-i, --stdin', 'pipes also at a terminal; what is typed is handed on')
    .option('--json', 'print one JSON object with its output and its end')
    .option('--state-dir <directory>', 'where records and logs are kept')
    .addHelpText('after', toMore(name))
    .action(async (words: readonly string[], flags: RunFlags) => {
      const { runCommand } = await import('../run/run-command.ts');
      end(await runCommand({ words, flags, io }));
    });
};
