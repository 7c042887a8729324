import { LINEAGE } from '../environment.ts';

/**
 * Script of the watchdog: POSIX sh, `$1` is the supervisor's id, `$2` the cgroup of the processes that end with it, or nothing. A line
 * of its input is
 *
 * - `+ pgid start`: a group to kill, and when its leader began;
 * - `- pgid`: a group that is gone;
 * - `= id`: a process that is to outlive the supervisor, with all it starts;
 * - `q`: exit, because the supervisor has ended its processes itself.
 *
 * The end of the input without `q` is the supervisor's death. A line cut short by it is ignored.
 *
 * The cgroup is killed first, by one write. Each pass then kills groups and sessions without starting anything (so it works at the
 * limit of processes), then all carriers of the supervisor's cookie. The group of a carrier that leads it joins the registry: other members may carry nothing. A program in the
 * middle of `execve` shows no environment, so only five passes in a row over 0.75 s that find nothing are the end; at most 500
 * are made. Without /proc only groups are killed.
 *
 * A pgid of the registry is not trusted where its process began at another time, or where a member of the group is older. Zombies
 * are skipped: they would be found for ever where nothing collects them.
 */
export const watchdogScript = `
trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM TSTP TTIN TTOU
cd /
spared=
while read -r verb id start; do
  case $verb in
    +) eval "g_$id=\\$start" ;;
    -) unset "g_$id" ;;
    =) spared="$spared\${spared:+|}$id" ;;
    q) exit 0 ;;
  esac
done

read_stat() {
  read -r line < "/proc/$1/stat" || return 1
  set -- \${line##*) }
  state=$1 pgid=$3 sid=$4 threads=\${18} begun=\${20}
}

is_ours() {
  eval "start=\\\${g_$1-}"
  test -n "$start" && test "$2" -ge "$start" || return 1
  read -r leader < "/proc/$1/stat" || return 0
  set -- \${leader##*) }
  test "\${20}" = "$start"
}

end_groups() {
  for entry in /proc/[0-9]*/stat; do
    pid=\${entry#/proc/} pid=\${pid%/stat}
    read_stat "$pid" || continue
    case $state in Z | X) test "$threads" -gt 1 || continue ;; esac
    if is_ours "$pgid" "$begun"; then kill -KILL "-$pgid" && found=yes
    elif is_ours "$sid" "$begun"; then kill -KILL "$pid" && found=yes
    fi
  done
}

end_carriers() {
  for entry in $(grep -l "${LINEAGE}=[!-~]*/$1/" /proc/[0-9]*/environ); do
    if test -n "$spared" && grep -Eq "${LINEAGE}=[!-~]*/($spared)/" "$entry"; then continue; fi
    pid=\${entry#/proc/} pid=\${pid%/environ}
    if read_stat "$pid" && test "$pgid" = "$pid"; then eval "g_$pid=$begun"; fi
    kill -KILL "$pid" && found=yes
  done
}

end_groups_blindly() {
  for variable in $(set); do
    case $variable in g_[0-9]*=*) ;; *) continue ;; esac
    pgid=\${variable%%=*} pgid=\${pgid#g_}
    eval "start=\\\${g_$pgid}"
    now=$(ps -o lstart= -p "$pgid")
    if test -z "$now" || test "$now" = "$start"; then kill -KILL "-$pgid"; fi
  done
}

if ! test -r /proc/self/stat; then end_groups_blindly; exit 0; fi
if test -n "$2"; then { echo 1 >"$2/cgroup.kill"; } 2>/dev/null; fi
quiet=0 passes=0
while test "$quiet" -lt 5 && test "$passes" -lt 500; do
  found=no passes=$((passes + 1))
  end_groups
  end_carriers "$1"
  if test "$found" = yes; then
    quiet=0
    if test "$passes" -gt 20; then sleep 0.05 || sleep 1; fi
    continue
  fi
  quiet=$((quiet + 1))
  case $quiet in
    1) sleep 0.05 || sleep 1 ;;
    2) sleep 0.1 || sleep 1 ;;
    3) sleep 0.2 || sleep 1 ;;
    4) sleep 0.4 || sleep 1 ;;
  esac
done
if test -n "$2"; then rmdir "$2"/[!.]* "$2" "\${2%/session}"; fi 2>/dev/null
`;
