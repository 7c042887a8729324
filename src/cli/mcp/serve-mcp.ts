import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { defaultHttpAddress, parseHttpAddress, parseToolSets, runMcpServer } from '../../mcp/index.ts';
import type { SupervisorOptions } from '../../supervisor/supervisor-options.ts';
import { type CliIo, printNote } from '../cli-io.ts';
import { onEndSignal } from '../end-signals.ts';
import { parseDuration } from '../flag-values.ts';
import { readVersion } from '../version.ts';
import { findStateDirectory } from '../with-state.ts';
import type { McpFlags } from './mcp-flags.ts';
import { readSecrets } from './read-secrets.ts';

const OWNER = /^[\w.-]{1,64}$/;

/** Serves until the client or a signal ends it. @returns the exit code. @throws TroupeError `invalid-option` */
export async function serveMcp({ flags, io }: { flags: McpFlags; io: CliIo }): Promise<number> {
  const secrets = readSecrets(flags.secret ?? []);
  const toSupervisor = readPlace(flags, io);
  if (flags.owner !== undefined && !OWNER.test(flags.owner)) throw noOwner(flags.owner);
  const ending = new AbortController();
  const removeSignals = onEndSignal(() => ending.abort());
  try {
    return await runMcpServer({
      version: readVersion(),
      tools: parseToolSets(flags.tools),
      policy: { mode: flags.policyMode },
      supervisor: (root) => ({ ...toSupervisor(root), secrets }),
      ...(flags.owner !== undefined && { owner: flags.owner }),
      log: (line) => printNote(io, line),
      signal: ending.signal,
      stdin: io.stdin,
      stdout: io.stdout,
      ...(flags.http !== undefined && { http: toHttp(flags, io) }),
    });
  } finally {
    removeSignals();
  }
}

/** Where commands run and where their records are kept, once the client's root is known; and how much may run. */
function readPlace(flags: McpFlags, { cwd, env }: CliIo): (root: string | null) => SupervisorOptions {
  const named = flags.cwd === undefined ? null : toDirectory(resolve(cwd, flags.cwd));
  const limits = {
    ...(flags.maxBackground !== undefined && {
      maxBackgroundProcesses: toCount(flags.maxBackground, '--max-background'),
    }),
    ...(flags.maxBackgroundTime !== undefined && {
      maxBackgroundTime: parseDuration(flags.maxBackgroundTime, '--max-background-time'),
    }),
  };
  const stateDir = flags.stateDir === undefined ? undefined : resolve(cwd, flags.stateDir);
  return (root) => {
    const place = named ?? root ?? cwd;
    const stateDirectory = findStateDirectory({ flag: stateDir, io: { cwd: place, env } });
    return { ...limits, cwd: place, stateDirectory };
  };
}

function noOwner(owner: string): TroupeError {
  const message = `--owner is ${quote(owner)}; expected 1 to 64 letters, digits, "_", "." and "-".`;
  return new TroupeError({ code: 'invalid-option', message });
}

function toDirectory(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new TroupeError({
    code: 'invalid-option',
    message: `--cwd is ${quote(path)}, which is not a directory; expected the directory that commands run in.`,
  });
}

function toCount(text: string, flag: string): number {
  const count = Number(text);
  if (/^\d{1,6}$/.test(text)) return count;
  throw new TroupeError({
    code: 'invalid-option',
    message: `${flag} is ${quote(text)}; expected a whole number such as 20.`,
  });
}

function toHttp({ http, allowRemote = false }: McpFlags, { env }: CliIo) {
  const token = env['TROUPE_MCP_TOKEN'];
  return {
    address: typeof http === 'string' ? parseHttpAddress(http) : defaultHttpAddress,
    allowRemote,
    ...(token !== undefined && token !== '' && { token }),
  };
}
