import { readdirSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { listPids, readEntry } from '../spawn/tree/proc-entry.ts';
import type { ListeningSocket, PortHolder, SocketTable } from './listening-sockets.ts';

/** TCP_LISTEN in the kernel's include/net/tcp_states.h. */
const listenState = '0A';

/** Creates the socket table of Linux from `/proc`: the holder of a socket has its inode among its descriptors. */
export function createProcSockets(): SocketTable {
  return {
    listening: async (port) => (await readRows()).filter((row) => row.port === port).map(toSocket),
    portsOf: async (pids) => {
      const rows = await readRows();
      const held = rows.filter(({ inode }) => pids.some((pid) => holds(pid, toLink(inode)) === 'yes'));
      return [...new Set(held.map(({ port }) => port))].sort((a, b) => a - b);
    },
  };
}

async function readRows(): Promise<readonly SocketRow[]> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readTable));
  return tables.flatMap(parseSocketTable);
}

/**
 * Reads a socket table in the thread pool: the kernel scans a hash table that grows with the memory of the machine, which took 10 ms
 * for 11 rows.
 */
function readTable(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

interface SocketRow {
  readonly address: string;
  readonly port: number;
  readonly uid: number;
  readonly inode: string;
}

/** Returns the listening sockets in `/proc/net/tcp` or `/proc/net/tcp6`; see proc_net(5). */
function parseSocketTable(text: string): readonly SocketRow[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid, , inode] = line.trim().split(/\s+/);
    if (state !== listenState || inode === undefined) return [];
    const [address = '', port = ''] = local.split(':');
    return { address: parseAddress(address), port: Number.parseInt(port, 16), uid: Number(uid), inode };
  });
}

/** Parses 32-bit words in network order, each printed as a number in the byte order of this machine. */
function parseAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => {
    const inMemory = Buffer.from(word, 'hex');
    return [...(endianness() === 'LE' ? inMemory.reverse() : inMemory)];
  });
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  const mapped = groups.slice(0, 6).join() === '0,0,0,0,0,ffff';
  if (mapped) return bytes.slice(12).join('.');
  // Only `::` and `::1` are compared, so the longest run of zeros is always at the front.
  return groups
    .join(':')
    .replace(/^(0:)+0$/, '::')
    .replace(/^(0:){7}/, '::');
}

function toSocket({ address, uid, inode }: SocketRow): ListeningSocket {
  const link = toLink(inode);
  return {
    address,
    isHeldBy: async (pids) => {
      const answers = pids.map((pid) => holds(pid, link));
      if (answers.includes('yes')) return 'yes';
      return answers.includes('unknown') ? 'unknown' : 'no';
    },
    findHolder: async () => findHolder(link, uid),
  };
}

function toLink(inode: string): string {
  return `socket:[${inode}]`;
}

function findHolder(link: string, uid: number): PortHolder | null {
  let isSomeoneHidden = false;
  for (const pid of listPids()) {
    const answer = holds(pid, link);
    if (answer === 'yes') return { pid, command: readEntry(pid)?.command ?? 'unknown' };
    if (answer === 'unknown') isSomeoneHidden = true;
  }
  return isSomeoneHidden ? { pid: null, command: `of user id ${uid}` } : null;
}

/** Looks for the socket among the descriptors of a process; synchronous for the reason given at `readProcText`. */
function holds(pid: number, link: string): 'yes' | 'no' | 'unknown' {
  const directory = `/proc/${pid}/fd`;
  try {
    return readdirSync(directory).some((fd) => readLink(`${directory}/${fd}`) === link) ? 'yes' : 'no';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'unknown' : 'no';
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
