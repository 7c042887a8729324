import type { LogFlags } from '../logs/log-query.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';

const toMore = (name: string) => `
A file or a pipe gets every byte as it was written. A terminal gets colours and
no other escape sequences, unless --raw is given. Of several processes each line
stands behind the name of its process.

With --follow it ends when the process has; Ctrl-C leaves it running. A restart
of the process, or of its supervisor, does not interrupt it.

Times are right within a second or so; further back in a long log, or where no
supervisor looked, two times say between which it came: first/last.

Examples:
  ${name} logs build            the last 50 lines
  ${name} logs -f -n 10 server worker
  ${name} logs -n all --stream stderr build > errors.txt
  ${name} logs --grep 'error|warn' -i build
  ${name} logs -t --since 10m server worker
  ${name} logs --json --since 4096 build`;

export const define: DefineVerb = (command, { name, io, end }) => {
  addStateFlags(
    command
      .description('Prints what processes wrote, and follows what they write.')
      .argument('<id...>', idHelp)
      .option('-f, --follow', 'go on until the process has ended')
      .option('-n, --tail <lines>', 'only so many lines at the end, or "all" (50)')
      .addOption(
        command
          .createOption('--stream <stream>', 'only one of its streams')
          .choices(['stdout', 'stderr', 'screen']),
      )
      .option('--grep <pattern>', 'only lines that match this regular expression')
      .option('-i, --ignore-case', 'do not mind upper and lower case in --grep')
      .option(
        '--since <when>',
        'begin there: 10m (ago), 14:30, an ISO time, or an offset as --json tells them',
      )
      .option('--until <when>', 'end there')
      .option('-t, --timestamps', 'put the time before each line; several logs are merged by it')
      .option('--raw', 'print escape sequences also on a terminal'),
    { json: 'print {"offset", "stream", "at", "latestAt", "text" or "base64"}, one a line' },
  )
    .addHelpText('after', toMore(name))
    .action(async (words: string[], flags: LogFlags) => {
      const { printLogs } = await import('../logs/print-logs.ts');
      end(await printLogs({ words, flags, io }));
    });
};
