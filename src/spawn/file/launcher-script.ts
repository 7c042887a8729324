import { constants } from 'node:os';
import { toJoinLine } from '../cgroup/join-cgroup.ts';

/** Signals that end no process by default, and signals that cannot be caught. */
const untrapped = ['SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH', 'SIGINFO', 'SIGKILL', 'SIGSTOP'];

/**
 * Returns the signals that a launcher traps: all that end or halt a process by default, as they may be meant for its command. By number,
 * because dash has no name for some; Linux keeps two of the nameless ones to itself.
 */
export function toTrappedSignals(platform: NodeJS.Platform = process.platform): string {
  const named = Object.entries(constants.signals)
    .filter(([name]) => !untrapped.includes(name))
    .map(([, number]) => number as number);
  const realTime = platform === 'linux' ? Array.from({ length: 31 }, (_, index) => 34 + index) : [];
  return [...new Set([...named, ...realTime])].sort((one, other) => one - other).join(' ');
}

/**
 * Returns the script between this program and a command that outlives it: POSIX sh, whose stdout is the log and whose stderr is
 * the status file. `$1` is the number of the attempt, `$2` the working directory, in which it begins, `$3` names variables that
 * the shell made and the command must not see, `$4` the cgroup that the command joins, or nothing. The rest is the command, after
 * the program `setsid` where there is one.
 *
 * Each record is one line after an empty one, so that a line that a full disk cut off spoils no other:
 *
 * - `launcher <attempt> <pid>`: the launcher itself;
 * - `leader <attempt> <pid>`: the command-to-be. Only then does it become the command, and not if that line could not be written:
 * the file
 * names everything that was ever started;
 * - `exit <attempt> <status>`, with `mute` after it where the shell does not distinguish a signal from a code by a message.
 *
 * The script relies on these facts about shells, found on dash 0.5.12 and bash 5.2 called sh:
 *
 * - Signals are caught, not ignored: the command would inherit an ignored signal, while a subshell resets a caught one to the
 * default.
 * So the launcher outlives signals meant for its command, and the command does not.
 * - `setsid` forks only when it leads a group. A subshell does not, so the command has the recorded pid, and leads its own
 * session and
 * group: `kill -9 0` in it does not reach the launcher.
 * - A subshell learns its pid without starting a program: `cd` and `echo` are builtins, and `/proc/self` is the process that
 * opens it.
 * Reading `/proc/self/stat`, which also has the start time, costs dash 0.5 ms: its `read` fetches every byte by itself.
 * - dash (and ash) prints `Killed`, `Terminated`, … on its stderr when its foreground child was ended by a signal, except INT and
 * PIPE.
 * bash prints nothing when it runs a `-c` script: it writes `mute`.
 * - dash drops variables whose names are no shell names (`a.b`), and exports PWD; bash exports PWD, OLDPWD, SHLVL and `_`.
 * - The subshell runs in the foreground: one in the background would ignore INT and QUIT and have lost its stdin.
 */
export function createLauncherScript({ hasSetsid }: { hasSetsid: boolean }): string {
  return hasSetsid ? `${preparation}${runInForeground}${record}` : `${preparation}${runMonitored}${record}`;
}

const preparation = `
trap : ${toTrappedSignals()}
troupe_attempt=$1 troupe_cwd=$2 troupe_unset=$3 troupe_cgroup=$4
shift 4
troupe_become() {
  if cd -P /proc/self 2>/dev/null; then
    troupe_pid=\${PWD#/proc/}
    cd "$troupe_cwd" || exit 125
  else
    troupe_pid=$(exec sh -c 'echo $PPID')
  fi
  test -z "$troupe_cgroup" || ${toJoinLine('"$troupe_cgroup"')}
  echo "
leader $troupe_attempt $troupe_pid" >&2 || exit 125
  unset $troupe_unset
  exec "$@" 2>&1
}
echo "
launcher $troupe_attempt $$" >&2 || exit 125
`;

const runInForeground = `
( troupe_become "$@" )
troupe_status=$?
`;

/**
 * Part of the script without `setsid`, where the shell's monitor mode makes the group. bash has it without a terminal, dash has
 * not. The command runs in the background, because bash takes a foreground child that dies of SIGINT for an order to stop its
 * script; in this mode a background one keeps its stdin and takes INT. After the start signals are ignored: a caught one
 * interrupts `wait`, and can cost bash the end of the child for good. In this mode `wait` also returns for a halted command; it
 * is repeated until the shell does not know the command any more, which it reports by 127.
 */
const runMonitored = `
set -m
( troupe_become "$@" ) <&0 &
trap '' ${toTrappedSignals()}
troupe_status=
while :; do
  wait $! 2>/dev/null
  troupe_last=$?
  if test "$troupe_last" -eq 127 && test -n "$troupe_status"; then break; fi
  troupe_status=$troupe_last
  case $(kill -l "$troupe_status" 2>/dev/null) in STOP | TSTP | TTIN | TTOU) ;; *) break ;; esac
  sleep 0.1 || sleep 1
done
`;

const record = `
echo "
exit $troupe_attempt $troupe_status\${BASH_VERSION+ mute}" >&2
`;
