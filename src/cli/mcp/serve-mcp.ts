import { defaultHttpAddress, parseHttpAddress, parseToolSets, runMcpServer } from '../../mcp/index.ts';
import { type CliIo, note } from '../cli-io.ts';
import { onEndSignal } from '../end-signals.ts';
import { readVersion } from '../version.ts';
import type { McpFlags } from './mcp-flags.ts';
import { readSecrets } from './read-secrets.ts';

/** Serves until the client or a signal ends it. @returns the exit code. @throws TroupeError `invalid-option` */
export async function serveMcp({ flags, io }: { flags: McpFlags; io: CliIo }): Promise<number> {
  const secrets = readSecrets(flags.secret ?? []);
  const ending = new AbortController();
  const removeSignals = onEndSignal(() => ending.abort());
  try {
    return await runMcpServer({
      version: readVersion(),
      tools: parseToolSets(flags.tools),
      policy: { mode: flags.policyMode },
      supervisor: { cwd: io.cwd, secrets },
      log: (line) => note(io, line),
      signal: ending.signal,
      stdin: io.stdin,
      stdout: io.stdout,
      ...(flags.http !== undefined && { http: toHttp(flags, io) }),
    });
  } finally {
    removeSignals();
  }
}

function toHttp({ http, allowRemote = false }: McpFlags, { env }: CliIo) {
  const token = env['TROUPE_MCP_TOKEN'];
  return {
    address: typeof http === 'string' ? parseHttpAddress(http) : defaultHttpAddress,
    allowRemote,
    ...(token !== undefined && token !== '' && { token }),
  };
}
