import type { SpawnFiles } from '../backend.ts';
import { type TmuxCommand, toPlainFormat, toShellWord, toTmuxText } from './quoting.ts';

/** The first line of a screen file, see `toScreenText`. */
export const screenFormat =
  'screen #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{pane_title}';

/** What the launcher said; else what tmux knows of the launcher itself, which was killed. Where the command outlives that, this is not its end: see `followStatus`. */
const endFormat =
  '#{?@troupe_exit,#{@troupe_exit},#{?pane_dead_signal,x #{pane_dead_signal} signal,x #{pane_dead_status} code}}';

interface EndingPlace {
  readonly program: string;
  readonly socket: string;
  readonly attempt: number;
  readonly files: SpawnFiles;
}

/**
 * What takes a terminal's bytes down. `cat` is all that sees them; the shell beside it says who that is, starts another where one was killed or
 * could not write, and says that all was taken down: no output can come after that. On a full disk each `cat` loses what it has read, up to 128 KiB,
 * which keeps the terminal going; that the disk was full is written down once.
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
 * What tmux runs when the command has ended: by order of the launcher, or by itself once that is dead and nobody holds the terminal any more, also
 * where no supervisor is there. It keeps the last screen, writes down how the command ended, and lets the session go. That would throw away what tmux has
 * not handed to `cat` yet. So it waits until `cat` sleeps, since there is nothing to read, and tmux, once asked something, has still given it nothing.
 *
 * A server whose socket was removed, with the state directory perhaps, can be asked by nobody any more, and another may listen there by now, which has a
 * terminal of the same number: so whoever answers is asked first who it is. The session is closed by the server itself then, see `toCloseCommand`.
 *
 * The first line is expanded by tmux; in it are numbers and words of tmux and the launcher, nothing that the terminal's program chooses.
 */
export function toEndScript(place: EndingPlace): string {
  const { attempt, files } = place;
  const [log, status, screen] = [files.log, files.status, files.screen].map(toShellWord);
  const tmux = `${toShellWord(place.program)} -u -S ${toShellWord(place.socket)} -f /dev/null`;
  const script = `
umask 077
exec >/dev/null 2>&1 </dev/null
server=$3
ask() { test "$(${tmux} display-message -p '#{pid}')" = "$server" && ${tmux} "$@"; }
if ask display-message -p -t "$1" '${screenFormat}' ';' capture-pane -p -e -t "$1" >${screen}.new
then mv -f ${screen}.new ${screen}; else rm -f ${screen}.new; fi
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
is_idle() {
  test -n "$pipe" && read -r line <"/proc/$pipe/stat" || return 0
  case "\${line##*) }" in S*) return 0 ;; esac
  return 1
}
rounds=0
while test "$rounds" -lt 1000; do
  rounds=$((rounds + 1)) before=$(wc -c <${log})
  if is_idle; then
    ask list-panes -t "$1" || break
    if is_idle && test "$before" = "$(wc -c <${log})"; then break; fi
  fi
  sleep 0.01 || sleep 1
done
ask kill-session -t "$1"
`;
  return `set -- '#{pane_id}' '${endFormat}' '#{pid}'${toPlainFormat(script)}`;
}

/** Longer than the end script takes, but where the log takes very long to be written. */
const latestCloseSeconds = 10;

/**
 * Closes the session whose command has ended, if it is still there then: the server does that by itself, also where nobody can ask it any more. tmux expands
 * this when the end comes, and the condition once more later.
 */
export function toCloseCommand(): TmuxCommand {
  const isThere = '##{==:##{session_id},#{session_id}}';
  // That it is not there would be told to whoever asks something next.
  const close = ['if-shell', '-F', '-t', '#{session_id}', isThere, "kill-session -t '#{session_id}'"];
  return ['run-shell', '-b', '-d', `${latestCloseSeconds}`, '-C', toTmuxText([close]).trimEnd()];
}
