import type { SimpleCommand } from '../shell/simple-command.ts';
import { programOf } from '../shell/simple-command.ts';
import type { Word } from '../shell/word.ts';
import { type CommandPattern, compilePattern } from './compile-pattern.ts';

/** Forms in which programs only read and print. Excluded parts write, or run other programs. */
const readers: readonly string[] = [
  'ls|cat|head|tail|wc|stat|file|du|df|pwd|which|whoami|id|uname|ps|basename|dirname|realpath|readlink|echo|printf|true|false|:|[|[[|test|sleep|nl|tac|rev|cut|tr|paste|column|comm|cmp|diff|od|xxd|strings|md5sum|sha1sum|sha256sum|shasum|cksum|uptime|free|nproc|groups|getconf|locale|cal|seq|expr|cd',
  'grep|egrep|fgrep|ugrep',
  'rg !--pre|--hostname-bin|--search-zip|-z',
  'date !-s|--set',
  'hostname !/^[^-]/',
  'tree !-o|-R',
  'uniq args:/^(-\\S+ ?)*[^-\\s]*$/',
  'sort !-o|--output|--compress-program|-T|--temporary-directory',
  'jq !-f|--from-file',
  'find|gfind !-delete|-exec|-execdir|-ok|-okdir|-fprint*|-fls',
  'sed|gsed -n !-i|--in-place|-f|--file|-e|-s !/[we]/',
  'git status|diff|log|show|blame|rev-parse|ls-files|ls-tree|describe|shortlog|cat-file|merge-base|name-rev|rev-list|whatchanged|check-ignore|grep|count-objects|for-each-ref|show-ref|ls-remote|diff-tree|var|version !-O|--open-files-in-pager|--output|--ext-diff|--textconv|--upload-pack|--exec|--git-dir*|--work-tree*|--config-env*|--exec-path* !/^(ext|fd)::/ !args:/^(-C \\S+ |-p |--no-pager )*-c/',
  'git branch !/^[^-]/ !-d|-D|-m|-M|-c|-C|-f|-u|--delete|--move|--copy|--force|--set-upstream-to|--unset-upstream|--edit-description',
  'git remote args:/^remote( -v| --verbose| show \\S+| get-url \\S+)?$/',
  'git tag|stash args:/^(tag( -l.*| --list.*)?|stash (list|show).*)$/',
  'git config --get|--list|-l|--get-all|--get-regexp',
  'node|npm|npx|pnpm|yarn|python|python3|pip|go|cargo|rustc|ruby|java|gcc|make|git|docker|tsc|bun|deno args:/^(-v|-V|--version|version)$/',
  'npm|pnpm ls|list|view|outdated|why|explain|root|prefix',
  'type|hash|help|man|whatis|apropos|history !-P|-H|--pager|--html|-c|-p|-d|-w|-a',
];

/** Programs whose arguments are text, names and paths, but never commands, beside those that only read. */
const INERT = new Set(
  'mkdir rmdir touch cp mv rm ln install chmod chown chgrp less more ag ack logger notify-send say figlet cowsay gh glab curl wget read export declare local readonly typeset unset let apt apt-get brew dpkg pip pip3 wait kill exit return set shift jest vitest mocha ava pytest jasmine psql mysql mariadb sqlite3 duckdb redis-cli mongosh mongo code vim vi nano open tldr sed gsed dd tee tar zip unzip bat eza git mapfile readarray history ssh-keygen ssh-add terraform tofu pulumi aws gcloud gsutil az s3cmd mc rclone helm'.split(
    ' ',
  ),
);

/** Programs that run their later words as a command. */
const RUNNERS = new Set(
  'sudo doas su runuser pkexec gosu su-exec env nohup nice ionice chrt taskset timeout gtimeout time stdbuf setsid chroot unshare nsenter setpriv prlimit strace ltrace xargs parallel exec command builtin eval coproc watch ssh busybox toybox flock script trap caffeinate unbuffer fakeroot proot firejail bwrap systemd-run systemd-inhibit start-stop-daemon entr rlwrap proxychains proxychains4 torsocks npx bunx find gfind fd fdfind - hyperfine watchexec nodemon cross-env dotenv direnv'.split(
    ' ',
  ),
);

/** Programs that add nothing to what they run. */
const TRANSPARENT = new Set(
  'nohup nice ionice timeout gtimeout time stdbuf setsid command builtin exec'.split(' '),
);

/** Ways to make an inert program run another one, or write a file, that its name does not reveal. */
const openers: readonly string[] = [
  'awk|gawk|mawk|nawk /system|getline|[|>@]|ARG[VC]|\\0/',
  'awk|gawk|mawk|nawk -l|-i|-o|-E|--load|--include',
  'vi|vim|nvim|view|ex /^\\+/',
  'vi|vim|nvim|view|ex|emacs -c|-S|--cmd|--eval',
  'less /^\\+/',
  'man -P|-H|--pager|--html',
  'sort --compress-program',
  'tar -I|-F|--to-command|--checkpoint-action*|--use-compress-program|--rsh-command|--info-script|--new-volume-script',
  'rsync -e|--rsh|--rsync-path',
  'scp|sftp|ssh -o|-S|-F',
  'split --filter',
  'zip --unzip-command|-TT',
  'rg --pre|--hostname-bin',
  'find|gfind -fprint*|-fls|-exec|-execdir|-ok|-okdir|-delete',
  'make --eval|SHELL=*|MAKEFLAGS=*',
  'make|gmake -f /^\\/dev\\//',
  'make /^[\\w.]+[:+?!]*=.*[\\s$`;|&]/',
  'gcc|g++ /^-(wrapper|fplugin|specs|B)/',
  'go /^--?(exec|toolexec|vettool|ldflags|gcflags)/',
  'cargo --config',
  'npm --script-shell|--node-options',
  'tcpdump -z',
  'sed|gsed /(^|[;{}]\\s*|\\d|\\$)[erRwW](\\s|\\w|$)|(^|[;{}\\d\\s])s(\\W)(?:(?!\\4).)*\\4(?:(?!\\4).)*\\4[gpiIM\\d]*[ew]|\\0/',
  'git args:/^(-C \\S+ |-p |--no-pager )*(-c|--config-env|--exec-path=)/',
  'git /^(ext|fd)::/',
  'git --exec|--upload-pack|--receive-pack|--output|--ext-diff|--textconv',
  'git grep -O|--open-files-in-pager',
  'git clone|init -u|-c|--config|--template',
  'git rebase -x',
  'git difftool -x|--extcmd',
  'git archive|format-patch -o',
  'git bisect run',
  'git submodule foreach',
  'git filter-branch',
  'git config /^(alias|core|credential|include|includeif|filter|diff|merge|gpg|remote|url)\\./i',
];

function compileAll(patterns: readonly string[]): (command: SimpleCommand) => boolean {
  const compiled: readonly CommandPattern[] = patterns.map(compilePattern);
  return (command) =>
    compiled.some((pattern) => pattern.matches(command, { workspace: '/', extraPaths: [] }));
}

/** Tells whether a command only reads and prints, whatever its words are. */
export const isReader: (command: SimpleCommand) => boolean = compileAll(readers);

/** Tells whether the program may run or write something that a pattern for its name does not show. */
export const isOpener: (command: SimpleCommand) => boolean = compileAll(openers);

/** Tells whether no argument of the program can be a command. */
export function isInert(command: SimpleCommand): boolean {
  return (INERT.has(programOf(command)) || isReader(command)) && !isOpener(command);
}

export function isRunner(program: string): boolean {
  return RUNNERS.has(program);
}

const SHELLS = /^((ba|da|z|k|mk|a|ya|fi|c|tc|rba|po)?sh|posh|fish)$/;

export function isShell(program: string): boolean {
  return SHELLS.test(program);
}

/**
 * Returns the position of the program that a runner runs, if its own words are options, numbers and assignments only;
 * otherwise the first that may be it. `-1`: none.
 */
export function findInner(words: readonly Word[]): number {
  return words.findIndex(
    (word, index) => index > 0 && !/^[-+]|^\d+(\.\d+)?[smhd]?$|^[A-Za-z_]\w*=/.test(word),
  );
}

/** Tells whether patterns look through a program to the one that it runs. */
export function isTransparent(command: SimpleCommand): boolean {
  const options = command.words.slice(1, findInner(command.words));
  const program = programOf(command);
  if (program === 'exec' || program === 'time') return TRANSPARENT.has(program) && options.length === 0;
  return TRANSPARENT.has(program) && options.every((word) => !/^[A-Za-z_]\w*=/.test(word));
}
