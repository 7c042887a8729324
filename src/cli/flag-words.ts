import { formatDuration } from '../config/format-duration.ts';

/** The flags that set options of the library; the value of some is a duration, which the library has in milliseconds. */
const flags: Readonly<Record<string, { readonly flag: string; readonly isDuration?: true }>> = {
  after: { flag: '--after', isDuration: true },
  command: { flag: 'the command' },
  cwd: { flag: '--cwd' },
  env: { flag: '--env' },
  every: { flag: '--every', isDuration: true },
  file: { flag: '--file' },
  grace: { flag: '--grace', isDuration: true },
  host: { flag: '--host' },
  http: { flag: '--http' },
  killGrace: { flag: '--grace', isDuration: true },
  label: { flag: '--name' },
  maxBackgroundTime: { flag: '--max-time', isDuration: true },
  maxExecutionTime: { flag: '--max-time', isDuration: true },
  message: { flag: 'the message' },
  owner: { flag: '--owner' },
  pattern: { flag: '--pattern' },
  port: { flag: '--port' },
  portFree: { flag: '--port-free' },
  quiet: { flag: '--quiet-for', isDuration: true },
  size: { flag: '--size' },
  text: { flag: '--text' },
  timeout: { flag: '--timeout', isDuration: true },
};

/** The library's advice where a background start is refused: the limit of the daemon has no option. */
const BACKGROUND_ADVICE = /End one of them with kill\(id\), .*"maxBackgroundProcesses" \(.*\)\./;

/** The library's advice where a supervisor knows no servers: that of the daemon is given none later. */
const SERVERS_ADVICE = /the supervisor has no option "remote"\..*/;

/**
 * Rewrites the library's refusal of an option, `schedule: "every" is 1; expected …`, into the words of the command line:
 * `--every is 1 ms; expected …`, and likewise its advice at the limit of background processes. Any other message is returned as it is.
 */
export function toFlagWords(message: string): string {
  return message
    .replace(BACKGROUND_ADVICE, 'End one of them with `troupe kill <id>`, or use `troupe run`.')
    .replace(
      SERVERS_ADVICE,
      'the daemon of this directory was started without TROUPE_SERVERS. End it (`troupe doctor` prints its pid) and try again: the next one adopts what outlives it.',
    )
    .split('\n')
    .map((line) => {
      const [, option = '', verb = '', value, rest = ''] =
        /^(?:start|schedule|kill|waitFor|watch|changeLimits|resize): "(\w+)(?:\.\w+)?" (is|has) (?:(\d+)(?=;))?(.*)$/.exec(
          line,
        ) ?? [];
      const known = Object.hasOwn(flags, option) ? flags[option] : undefined;
      if (known === undefined) return line;
      const shown =
        value === undefined || known.isDuration !== true ? (value ?? '') : formatDuration(Number(value));
      const said = option === 'host' ? rest.replaceAll(/"ready\.(\w+)"/g, '--ready $1:…') : rest;
      return `${known.flag} ${verb} ${shown}${said}`;
    })
    .join('\n');
}
