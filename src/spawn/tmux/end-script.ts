import type { SpawnFiles } from '../backend.ts';
import { toShellWord } from '../launcher-shell.ts';
import { refusal, type TmuxCommand, toPlainFormat, toServerCheck, toTmuxText } from './quoting.ts';

/** First line of a screen file, see `toScreenText`. */
export const screenFormat =
  'screen #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{pane_title}';

/**
 * Exit as the launcher recorded it, or tmux's own for a launcher that was killed. Where the command outlives the launcher, this
 * is not its exit: see `followStatus`.
 */
const endFormat =
  '#{?@troupe_exit,#{@troupe_exit},#{?pane_dead_signal,x #{pane_dead_signal} signal,x #{pane_dead_status} code}}';

interface EndingPlace {
  readonly program: string;
  readonly socket: string;
  readonly attempt: number;
  readonly files: SpawnFiles;
}

/**
 * Returns the script that writes a terminal's output to the log. Only `cat` sees the bytes; the shell beside it records the pid
 * of `cat`, starts another where one was killed or could not write, and records that everything was written, after which no
 * output can come. On a full disk each `cat` loses what it has read, up to 128 KiB, which keeps the terminal going; that the disk
 * was full is recorded once.
 */
export function toPipeScript({ attempt, files }: EndingPlace): string {
  const status = toShellWord(files.status);
  const log = toShellWord(files.log);
  return `exec 3<&0 </dev/null 2>/dev/null 4>>${log}
failed= noted=
while :; do
  cat <&3 >&4 &
  test -n "$failed" || echo "
pipe ${attempt} $!" >>${status}
  wait "$!"
  code=$?
  test "$code" -gt 0 || break
  test "$code" -le 128 || continue
  failed=yes
  test -n "$noted" || noted=$(echo "
full $(($(wc -c <${log})))" >>${status} && echo yes)
done
echo "
drained ${attempt}" >>${status}`;
}

/**
 * Returns the script that tmux runs when the command has ended: on the launcher's order, or by itself once the launcher is dead
 * and no process holds the terminal, even without a supervisor. It records the exit, keeps the last screen, and closes the
 * session. Closing would discard what tmux has not passed to `cat` yet, so the script waits until `cat` sleeps without input,
 * and tmux, asked for the screen, has still given it nothing. Linux says how much `cat` has written; elsewhere the log is measured.
 * A kill that ends the launcher meanwhile makes tmux run the script again, beside the first: each writes a file of its own.
 *
 * The socket of a server may be gone, perhaps with the state directory, and another server may listen there with a terminal of
 * the same number: so the script asks the server who it is first. In that case the server closes the session itself, see
 * `toCloseCommand`.
 *
 * The first line is expanded by tmux; it contains numbers and words of tmux and the launcher, nothing that the terminal's program
 * chooses.
 */
export function toEndScript(place: EndingPlace): string {
  const { attempt, files } = place;
  const [log, status, screen] = [files.log, files.status, files.screen].map(toShellWord);
  const tmux = `${toShellWord(place.program)} -u -S ${toShellWord(place.socket)} -f /dev/null`;
  const script = `
umask 077
exec >/dev/null 2>&1 </dev/null
server=$3 new=${screen}.$$
ask() { ${tmux} ${toServerCheck('$server')} "$1" ${refusal}; }
echo "
exit ${attempt} \${2#x }" >>${status}
pipe=
for round in 1 2 3 4 5 6 7 8 9 10; do
  while read -r word number pid; do
    case "$word $number" in "pipe ${attempt}") pipe=$pid ;; esac
  done <${status}
  test -z "$pipe" || break
  sleep 0.05 || sleep 1
done
measure() { read -r word written <"/proc/$pipe/fdinfo/1" || written=$(wc -c <${log}); }
is_idle() {
  test -n "$pipe" && read -r line <"/proc/$pipe/stat" || return 0
  case "\${line##*) }" in S*) return 0 ;; esac
  return 1
}
rounds=0
while test "$rounds" -lt 1000; do
  rounds=$((rounds + 1))
  measure
  before=$written
  if is_idle; then
    ask "display-message -p -t '$1' '${screenFormat}' ; capture-pane -p -e -t '$1'" >"$new" || break
    mv -f "$new" ${screen}
    measure
    if is_idle && test "$before" = "$written"; then break; fi
  fi
  sleep 0.01 || sleep 1
done
test ! -e "$new" || rm -f "$new"
ask "kill-session -t '$1'"
`;
  return `set -- '#{pane_id}' '${endFormat}' '#{pid}'${toPlainFormat(script)}`;
}

/** Longest time of the end script, except while the log is written very slowly. */
const latestCloseSeconds = 10;

/**
 * Returns the command by which the server closes the session later if it still exists, even if no client can reach the server any
 * more. tmux expands it at the end of the command, and the condition once more later.
 */
export function toCloseCommand(): TmuxCommand {
  const isThere = '##{==:##{session_id},#{session_id}}';
  // Without the condition, the next client would get the error that the session is gone.
  const close = ['if-shell', '-F', '-t', '#{session_id}', isThere, "kill-session -t '#{session_id}'"];
  return ['run-shell', '-b', '-d', `${latestCloseSeconds}`, '-C', toTmuxText([close]).trimEnd()];
}
