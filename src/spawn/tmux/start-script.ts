import type { SpawnRequest } from '../backend.ts';
import { toJoinLine } from '../cgroup/join-cgroup.ts';
import { toTrappedSignals } from '../file/launcher-script.ts';
import { chooseLauncherShell, toShellWord } from '../launcher-shell.ts';
import { refusal, toServerCheck } from './quoting.ts';

/** Command of the terminal: a shell with its script and the process's command. */
interface StartPlan {
  readonly argv: readonly string[];
  /** Variables of the session, beside those that tmux sets itself. */
  readonly env: Readonly<Record<string, string>>;
}

/** Variables that tmux and shells set in what they start. */
const shellVariables = [
  'TMUX',
  'TMUX_PANE',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'COLORTERM',
  'SHELL',
  'PWD',
  'OLDPWD',
  'LC_ALL',
  'PATH',
  'SHLVL',
];
const keptPrefix = 'TROUPE_KEPT_';

/**
 * Plans a start with a launcher as in the file backend, see `createLauncherScript`: it leads the session of the terminal, records
 * itself and the command before that is started, and outlives it. It is needed because tmux 3.3 closes a terminal as soon as the
 * process that it has started there is dead, and sometimes loses the last output, which the system had not yet handed over. So
 * the launcher makes tmux run `toEndScript`, and ends with the session. The trap discards a SIGHUP that arrives before the call of
 * tmux returns; then the launcher ends because it cannot open its terminal. If it is killed, tmux records the exit instead.
 * Another server that listens there by now, with a terminal of the same number, is not asked.
 *
 * Nothing is started if the supervisor has died meanwhile and was to end the process: nothing would end it. By then the launcher
 * can be found by its lineage.
 *
 * The environment is passed by tmux unchanged. Variables that tmux and shells use themselves are set, or unset, by the script.
 */
export function planStart(
  request: SpawnRequest & { readonly files: NonNullable<SpawnRequest['files']> },
  {
    guardPid,
    server,
    cgroup,
    command,
  }: {
    guardPid: number | null;
    server: { program: string; socket: string };
    cgroup: string | null;
    /** Command with its limits. */
    command: readonly string[];
  },
): StartPlan {
  const { env, cwd, attempt, files } = request;
  const shell = chooseLauncherShell(Object.keys(env));
  // tmux sets its own terminal type, unless the caller named another.
  const kept = [...shellVariables, 'TERM'].filter((name) => name in env);
  const dropped = shellVariables.filter((name) => !(name in env));
  const restore = kept.map(
    (name) => `${name}=$${keptPrefix}${name}; export ${name}; unset ${keptPrefix}${name}`,
  );
  const become = [`unset ${dropped.join(' ')}`, ...restore, `${shell.become(env)} 2>&1`].join('\n');
  const words = [
    `${guardPid ?? ''}`,
    files.status,
    `${attempt}`,
    cwd,
    process.umask().toString(8),
    cgroup ?? '',
  ];
  return {
    argv: [...shell.argv, '-c', toScript(become, server), 'troupe-launcher', ...words, ...command],
    env: { ...env, ...Object.fromEntries(kept.map((name) => [`${keptPrefix}${name}`, env[name] ?? ''])) },
  };
}

const toScript = (become: string, { program, socket }: { program: string; socket: string }) => `
trap : ${toTrappedSignals()}
test -z "$1" || kill -0 "$1" 2>/dev/null || exit 125
exec 2>>"$2" || exit 125
troupe_attempt=$3 troupe_cwd=$4 troupe_umask=$5 troupe_cgroup=$6
shift 6
troupe_become() {
  if cd -P /proc/self 2>/dev/null; then
    troupe_pid=\${PWD#/proc/}
  else
    troupe_pid=$(exec sh -c 'echo $PPID')
  fi
  cd -P -- "$troupe_cwd" || exit 125
  umask "$troupe_umask"
  test -z "$troupe_cgroup" || ${toJoinLine('"$troupe_cgroup"')}
  echo "
leader $troupe_attempt $troupe_pid" >&2 || exit 125
  ${become}
}
echo "
launcher $troupe_attempt $$" >&2 || exit 125
( troupe_become "$@" )
troupe_exit=$?\${BASH_VERSION+ mute}
PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8
export PATH LC_ALL
unset LD_PRELOAD LD_LIBRARY_PATH TROUPE_LINEAGE
troupe_server=\${TMUX%,*}
troupe_server=\${troupe_server##*,}
troupe_end="set-option -p -t '$TMUX_PANE' @troupe_exit 'x $troupe_exit' ; set-hook -R -w -t '$TMUX_PANE' pane-died"
if ${toShellWord(program)} -S ${toShellWord(socket)} ${toServerCheck('$troupe_server')} "$troupe_end" ${refusal} >/dev/null 2>&1; then
  trap - HUP
  exec 2>/dev/null
  exec sleep 60 </dev/tty
  exit
fi
echo "
exit $troupe_attempt $troupe_exit" >&2
`;
