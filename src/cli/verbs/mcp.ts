import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { PolicyOptions } from '../../config/policy-options.ts';
import { quote } from '../../config/quote.ts';
import { readRemoteVariables } from '../../config/remote-options.ts';
import { fileSecretSources, type SecretSource } from '../../config/secret-source.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { SupervisorOptions } from '../../supervisor/supervisor-options.ts';
import { type CliIo, printNote } from '../cli-io.ts';
import { onEndSignal } from '../end-signals.ts';
import { collect, parseLimit } from '../flag-values.ts';
import { programFile } from '../open-daemon.ts';
import { readPolicyFile } from '../policy-file.ts';
import { type DefineVerb, type FlagsOf, stateDirFlag } from '../verb.ts';
import { readVersion } from '../version.ts';
import { findStateDirectory } from '../with-state.ts';

const addFlags = (command: Command) =>
  command
    .option('--http [host:port]', 'serve by HTTP (127.0.0.1:7433)')
    .option('--allow-remote', 'listen also where other machines can reach it')
    .option('--allow-origin <origin>', 'a web page that may call by HTTP; can be repeated', collect)
    .option(
      '--tools <sets>',
      'which tools are offered: process, background_process, bg, process_action, bash, exec, or several with commas between them',
      'process',
    )
    .addOption(
      command
        .createOption('--policy-mode <mode>', 'what clients may do without a person being asked (auto)')
        .choices(['default', 'auto', 'dangerous', 'plan', 'ci']),
    )
    .option('--policy <file>', 'a policy file: YAML as under "policy:" in an agent file')
    .option(
      '--secret <name=source>',
      'a secret that a model can have typed by its name; can be repeated',
      collect,
    )
    .option('--cwd <directory>', "where commands run (the client's first root, or here)")
    .option(...stateDirFlag)
    .option('--max-background <count>', 'how many processes may run in the background at once (10)')
    .option('--max-background-time <duration>', 'how long each of them may run')
    .option('--attach', 'use the daemon of the state directory: processes outlive the client')
    .option('--owner <name>', 'whose processes the client sees, in later sessions too (this session alone)');

export type McpFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe mcp`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Serves the Model Context Protocol on stdin and stdout, or by HTTP.')
    .addHelpText(
      'after',
      `
On stdio the server ends with its client, and its processes with it; with
--attach they belong to the daemon, and the next client of the same --owner
("mcp") finds them, and the ends that none has seen.

An address that other machines can reach needs --allow-remote, and a token in
TROUPE_MCP_TOKEN that clients send as "Authorization: Bearer …".

A secret comes from a variable of this program or from a file, and is read each
time it is used:
  ${name} mcp --secret npm-token=env:NPM_TOKEN --secret db=file:/run/secrets/db`,
    )
    .action(async (flags) => end(await serveMcp({ flags, io })));
};

/** Serves until the client or a signal ends it. @returns the exit code. @throws TroupeError `invalid-option` */
export async function serveMcp({ flags, io }: { flags: McpFlags; io: CliIo }): Promise<number> {
  const secrets = readSecrets(flags.secret ?? []);
  const toSupervisor = readSupervisorOptions(flags, io);
  if (flags.owner !== undefined && !/^[\w.-]{1,64}$/.test(flags.owner)) {
    throw invalid(`--owner is ${quote(flags.owner)}; expected 1 to 64 letters, digits, "_", "." and "-".`);
  }
  if (flags.attach === true) return serveAttached({ flags, io, ...toSupervisor(null) });
  // It loads the server and the supervisor, which help and completion can do without.
  const { defaultHttpAddress, parseHttpAddress, parseToolSets, runMcpServer } = await import(
    '../../mcp/index.ts'
  );
  const { http, allowRemote = false } = flags;
  const token = io.env['TROUPE_MCP_TOKEN'] ?? '';
  const ending = new AbortController();
  const removeSignals = onEndSignal(() => ending.abort());
  try {
    return await runMcpServer({
      version: readVersion(),
      tools: parseToolSets(flags.tools),
      policy: await readPolicy(flags, io),
      supervisor: (root) => ({ ...toSupervisor(root), secrets }),
      ...(flags.owner !== undefined && { owner: flags.owner }),
      log: (line) => printNote(io, line),
      signal: ending.signal,
      stdin: io.stdin,
      stdout: io.stdout,
      ...(http !== undefined && {
        http: {
          address: typeof http === 'string' ? parseHttpAddress(http) : defaultHttpAddress,
          allowRemote,
          ...(flags.allowOrigin !== undefined && { origins: flags.allowOrigin }),
          ...(token !== '' && { token }),
        },
      }),
    });
  } finally {
    removeSignals();
  }
}

/** Reads the policy: the file, and the mode in place of the file's. */
async function readPolicy(
  { policy, policyMode }: Pick<McpFlags, 'policy' | 'policyMode'>,
  io: CliIo,
): Promise<PolicyOptions> {
  return {
    mode: 'auto',
    ...(policy !== undefined && (await readPolicyFile(policy, io))),
    ...(policyMode !== undefined && { mode: policyMode }),
  };
}

/** Lets the daemon serve the client. */
async function serveAttached({
  flags,
  io,
  cwd,
  stateDirectory,
}: {
  flags: McpFlags;
  io: CliIo;
} & SupervisorOptions): Promise<number> {
  refuseWithAttach(flags);
  const [{ attachClient }, { parseToolSets }, { ensureDaemon }] = await Promise.all([
    import('../../mcp/attach/attach-client.ts'),
    import('../../mcp/parse-tool-sets.ts'),
    import('../../control/ensure-daemon.ts'),
  ]);
  parseToolSets(flags.tools);
  const daemon = await ensureDaemon({ directory: String(stateDirectory), program: programFile });
  const ending = new AbortController();
  const removeSignals = onEndSignal(() => ending.abort());
  try {
    return await attachClient({
      ...{ socket: daemon.socket, name: flags.owner ?? 'mcp', cwd: String(cwd), tools: flags.tools },
      ...{
        policy: { ...(await readPolicy(flags, io)) },
        version: readVersion(),
        stdin: io.stdin,
        stdout: io.stdout,
      },
      log: (line) => printNote(io, line),
      signal: ending.signal,
    });
  } finally {
    removeSignals();
    daemon.close();
  }
}

/** Refuses what the daemon decides: it has one supervisor for all. */
function refuseWithAttach(flags: McpFlags): void {
  const refused = [
    ['--http', flags.http, 'it serves one client on stdio'],
    ['--secret', flags.secret, 'the daemon would need the value'],
    ['--max-background', flags.maxBackground, 'the daemon has one limit for all'],
    ['--max-background-time', flags.maxBackgroundTime, 'the daemon has one limit for all'],
  ] as const;
  const found = refused.find(([, value]) => value !== undefined);
  if (found !== undefined) throw invalid(`${found[0]} cannot be used with --attach: ${found[2]}.`);
}

/** Reads the limits, the working directory and the state directory, which depend on the root that the client names. */
function readSupervisorOptions(
  flags: McpFlags,
  { cwd, env }: CliIo,
): (root: string | null) => SupervisorOptions {
  const named = flags.cwd === undefined ? null : parseDirectory(resolve(cwd, flags.cwd));
  const limits = {
    ...(flags.maxBackground !== undefined && {
      maxBackgroundProcesses: parseCount(flags.maxBackground, '--max-background'),
    }),
    ...(flags.maxBackgroundTime !== undefined && {
      maxBackgroundTime: parseLimit(flags.maxBackgroundTime, '--max-background-time'),
    }),
  };
  const stateDir = flags.stateDir === undefined ? undefined : resolve(cwd, flags.stateDir);
  return (root) => {
    const directory = named ?? root ?? cwd;
    const stateDirectory = findStateDirectory({ flag: stateDir, io: { cwd: directory, env } });
    return { ...limits, ...readRemoteVariables(env), cwd: directory, stateDirectory };
  };
}

function parseDirectory(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw invalid(
    `--cwd is ${quote(path)}, which is not a directory; expected the directory that commands run in.`,
  );
}

function parseCount(text: string, flag: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw invalid(`${flag} is ${quote(text)}; expected a whole number such as 20.`);
}

/**
 * Reads secrets given as `name=env:VARIABLE` or `name=file:PATH`. No error repeats the text behind the name, which may be the secret
 * itself.
 *
 * @throws TroupeError `invalid-option`
 */
export function readSecrets(assignments: readonly string[]): Readonly<Record<string, SecretSource>> {
  const sources = new Map<string, SecretSource>();
  for (const assignment of assignments) {
    const name = /^([^=]*)=/.exec(assignment)?.[1] ?? '';
    if (!isSecretName(name)) {
      throw invalid(
        '--secret does not begin with a name of letters, digits, "_", "." and "-", 64 at most; expected name=env:VARIABLE or name=file:PATH, such as npm-token=env:NPM_TOKEN.',
      );
    }
    if (sources.has(name)) throw invalid(`--secret ${name} is given twice; expected each name once.`);
    sources.set(name, parseSource(name, assignment.slice(name.length + 1)));
  }
  return Object.fromEntries(sources);
}

function isSecretName(name: string): boolean {
  return fileSecretSources.safeParse({ [name]: { env: 'ANY' } }).success;
}

function parseSource(name: string, text: string): SecretSource {
  const [, kind, place] = /^(env|file):(.+)$/s.exec(text) ?? [];
  if (kind === 'env' && place !== undefined) return { env: place };
  if (kind === 'file' && place !== undefined) return { file: place };
  const why = text.startsWith('ask:')
    ? 'a person cannot be asked here'
    : 'every user of this machine can read a command line, so the value itself has no place there';
  throw invalid(
    `--secret ${name} has no source; expected ${name}=env:VARIABLE or ${name}=file:PATH: ${why}.`,
  );
}

function invalid(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}
