import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import { homeDirectory } from '../home-directory.ts';
import { type Directory, toLexicalPaths } from '../shell/simple-command.ts';
import { isCertain, UNKNOWN_WORDS, type Word } from '../shell/word.ts';

/** Places that rules know, as absolute paths. */
export interface WorkspacePaths {
  readonly workspace: string;
  readonly extraPaths: readonly string[];
}

interface Target extends WorkspacePaths {
  readonly word: Word;
  /** Absolute path of the word, without following links; `null` if unknown. Unknown parts are NUL. */
  readonly path: string | null;
}

const home = homeDirectory();
const temporary = ['/tmp', '/var/tmp', '/private/tmp', '/dev/shm', tmpdir()];

const ROOT =
  /^\/($|[^/]*[*?\0][^/]*$|(bin|boot|dev|etc|home|lib\w*|opt|proc|root|run|sbin|srv|sys|usr|var|Users|System|Library|Applications|Windows)(\/([*?\0]+)?)?$)/;

/** Made by builds, tests and installations, which make them again. */
const BUILT =
  /(^|\/)(node_modules|bower_components|dist[\w.-]*|build[\w.-]*|out|output|target|coverage|htmlcov|storybook-static|\.?(next|nuxt|svelte-kit|turbo|parcel-cache|cache|caches|nyc_output|output|vercel|gradle|tox|nox|eggs|angular|expo|docusaurus|astro|vite|webpack|sass-cache|terraform|serverless)|__pycache__|\.(pytest|mypy|ruff|eslint|style|rpt2)_?cache|\.venv|venv|env|[\w.-]*\.egg-info|tmp|temp|\.tmp|\.temp|logs?|obj|DerivedData|Pods|test-results|playwright-report|cmake-build-[\w-]+|site|_site|public\/build)(\/|$)|(\*|[^/])\.(pyc|pyo|o|obj|class|a|so|tmp|temp|log|bak|orig|rej|swp|swo|map|tsbuildinfo|coverage|pid|lock|out)$|(^|\/)(\.DS_Store|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Thumbs\.db|[^/]*~)$/;

const REPOSITORY = /(^|\/)\.(git|hg|svn|jj)(\/|$)/;
const LOCKS = /\.lock$/;
const SECRET =
  /(^|\/)(\.env(?!\.(example|sample|template|dist|test)\b)[\w.-]*|\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.kube|\.docker\/config\.json|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.\w+)?|secrets?\.(ya?ml|json|toml|env)|[\w.-]+\.(pem|key|p12|pfx|keystore|jks|kdbx))(\/|$)/i;
const PRECIOUS = /\.(sqlite3?|db|mdb|dump|sql|bak)$/i;
const PROFILE =
  /^\/etc\/|(^|\/)\.git\/(hooks\/|config$)|(^|\/)\.(bashrc|bash_(profile|login|logout|aliases)|profile|zshrc|zshenv|zprofile|zlogin|inputrc|gitconfig|npmrc|ssh\/.*|config\/(fish|autostart|systemd)\/.*)$|\/(LaunchAgents|LaunchDaemons)\/|^\/var\/spool\/cron/;
const DISK =
  /^\/dev\/(?:(?:sd|hd|vd|xvd)(?:[a-z]|[*?[])|nvme[\d*?[]|mmcblk[\d*?[]|md\d|dm-\d|loop[\d*?[]|sr\d|zram\d|ram\d|pmem\d|nbd\d|r?disk[\d*?[]|mapper\/|disk\/|block\/|k?mem$|port$|\0)/;
const DEVICE = /^\/dev\/(?!(null|zero|full|random|urandom|stdout|stderr|tty|fd\/.*|shm\/.*|pts\/.*)$)/;
const POWER = /^(\/proc\/sysrq-trigger|\/sys\/power\/(state|disk))$/;

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function isInside({ path, workspace, extraPaths }: Target): boolean {
  return path !== null && [workspace, ...extraPaths].some((root) => path === root || isWithin(path, root));
}

function isTemporary(target: Target): boolean {
  const { path } = target;
  return path !== null && !isInside(target) && temporary.some((folder) => isWithin(path, folder));
}

/** Path below the workspace, where names such as `build` mean what a build has made. */
function isBuilt(target: Target): boolean {
  const { path, workspace } = target;
  if (path === null) return !isCertain(target.word) && BUILT.test(target.word.replace(/\/?\0.*$/s, ''));
  return BUILT.test(isInside(target) && isWithin(path, workspace) ? posix.relative(workspace, path) : '');
}

const isRoot = ({ path, word, workspace }: Target) =>
  (path !== null && (ROOT.test(path) || (isWithin(workspace, path) && path !== home))) ||
  /^[a-z]:[\\/]*\*?$/i.test(word);
const isHome = ({ path }: Target) => path !== null && path.replace(/(\/[*?\0]+)+$/, '') === home;
const isRepository = ({ path, word }: Target) => {
  const own = path ?? word;
  return REPOSITORY.test(own) && !LOCKS.test(own);
};
const isUnknown = (target: Target) => target.path === null && !isBuilt(target);

/** Kinds of places that rules name in angle brackets. */
export const targetKinds: Readonly<Record<string, (target: Target) => boolean>> = {
  root: isRoot,
  home: isHome,
  repository: isRepository,
  outside: (target) =>
    target.path !== null && !isInside(target) && !isTemporary(target) && !isRoot(target) && !isHome(target),
  source: (target) => isInside(target) && !isBuilt(target) && !isRepository(target),
  built: isBuilt,
  temp: isTemporary,
  unknown: isUnknown,
  many: ({ word }) => word.includes(UNKNOWN_WORDS),
  up: ({ word }) => /^\.\.(\/|$)/.test(word),
  precious: (target) =>
    !isTemporary(target) && !isBuilt(target) && (SECRET.test(target.word) || PRECIOUS.test(target.word)),
  secret: ({ path, word }) => SECRET.test(path ?? word),
  profile: ({ path, word }) => PROFILE.test(path ?? word),
  disk: ({ path, word }) => DISK.test(path ?? word) || /^[/\\]{2}[.?][/\\]physicaldrive/i.test(word),
  device: ({ path, word }) => DEVICE.test(path ?? word),
  power: ({ path }) => POWER.test(path ?? ''),
};

/** Tells whether a word of a command is of a kind, in any of its directories. */
export function isOfKind(
  word: Word,
  {
    kind,
    directories,
    workspacePaths,
  }: { kind: string; directories: readonly Directory[]; workspacePaths: WorkspacePaths },
): boolean {
  const test = targetKinds[kind];
  if (test === undefined) return false;
  const paths = toLexicalPaths(word, { directories, home });
  // Behind a link `..` may lead further up than the names suggest.
  const behindUp = /^[^/]*\/.*\.\.\/+((?:dev|proc|sys)\/.*)$/.exec(word)?.[1];
  const all = behindUp === undefined ? paths : [...paths, `/${behindUp}`];
  return all.some((path) =>
    test({ word, path: path?.replace(/^(\/proc\/[\w-]+\/root)+(?=\/)/, '') ?? null, ...workspacePaths }),
  );
}
