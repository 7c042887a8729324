import { runProgram } from '../spawn/start-child.ts';
import { createPsTable } from '../spawn/tree/ps-table.ts';
import type { ListeningSocket, PortHolder, SocketTable } from './listening-sockets.ts';

/**
 * Creates the socket table of macOS from the output of `lsof`, which shows sockets of other users only to root. Each call starts a
 * program. The format is tested against the lsof of Linux and as macOS prints it, not on macOS.
 */
export function createLsofSockets(): SocketTable {
  return {
    listening: async (port) => {
      const text = await runLsof(['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fptn']);
      return parseLsof(text).map(toSocket);
    },
    portsOf: async (pids) => {
      const text = await runLsof(['-nP', '-a', '-p', pids.join(','), '-iTCP', '-sTCP:LISTEN', '-Fptn']);
      return [...new Set(parseLsof(text).map(({ port }) => port))].sort((a, b) => a - b);
    },
  };
}

interface LsofRow {
  readonly pid: number;
  readonly address: string;
  readonly port: number;
}

/** Parses one field per line: `p<pid>` begins a process, `n<address>:<port>` is one of its sockets. */
function parseLsof(text: string): readonly LsofRow[] {
  const rows: LsofRow[] = [];
  let pid = 0;
  let family = '';
  for (const line of text.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) pid = Number(value);
    if (line.startsWith('t')) family = value;
    if (line.startsWith('n')) rows.push({ pid, address: toAddress(value, family), port: toPort(value) });
  }
  return rows;
}

function toAddress(name: string, family: string): string {
  const host = name.slice(0, name.lastIndexOf(':'));
  if (host === '*') return family === 'IPv6' ? '::' : '0.0.0.0';
  return host.replace(/^\[(.*)\]$/, '$1');
}

function toPort(name: string): number {
  return Number(name.slice(name.lastIndexOf(':') + 1));
}

function toSocket({ pid, address }: LsofRow): ListeningSocket {
  return {
    address,
    isHeldBy: async (pids) => (pids.includes(pid) ? 'yes' : 'no'),
    findHolder: async (): Promise<PortHolder | null> => {
      const entry = await createPsTable().read(pid);
      return entry === null ? null : { pid, command: entry.command };
    },
  };
}

/** Runs lsof. Exit code 1 without output means that nothing matched; a missing lsof is an error. */
async function runLsof(args: readonly string[]): Promise<string> {
  const result = await runProgram('lsof', args);
  if (result.failed && result.exitCode !== 1) throw result;
  return result.stdout;
}
