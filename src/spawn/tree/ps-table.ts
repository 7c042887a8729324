import { TroupeError } from '../../config/troupe-error.ts';
import { LINEAGE } from '../environment.ts';
import { runProgram } from '../start-child.ts';
import type { ProcessEntry, ProcessTable, TableScope } from './process-table.ts';

const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';

/**
 * Creates the process table from `ps` of macOS. Each call starts a program and takes some 10 ms; sessions are unknown (`sid` is
 * 0), and start times are exact to a second. Written from ps(1) and the source of ps of macOS, and not yet run there.
 */
export function createPsTable(): ProcessTable {
  let scope: Promise<TableScope> | null = null;

  async function list(): Promise<readonly ProcessEntry[]> {
    return parsePsLines(await run('ps', ['-A', '-ww', '-o', columns]));
  }

  async function readAll(pids: readonly number[]): Promise<readonly ProcessEntry[]> {
    if (pids.length === 0) return [];
    return parsePsLines(await run('ps', ['-ww', '-o', columns, '-p', pids.join(',')]));
  }

  return {
    read: async (pid) => (await readAll([pid]))[0] ?? null,
    readAll,
    list,
    listSince: async (leader) => (await list()).filter(({ pid }) => pid !== leader.pid),
    filterCarriers: async (cookie, entries) => {
      const pids = entries.filter(({ alive }) => alive).map(({ pid }) => pid);
      if (pids.length === 0) return [];
      const lines = await run('ps', ['-E', '-ww', '-o', 'pid=,command=', '-p', pids.join(',')]);
      const carriers = new Set(parseCarriers(lines, cookie));
      return entries.filter(({ pid }) => carriers.has(pid));
    },
    // `ps` shows neither sessions nor empty environments, and only leaders of sessions are foreign.
    filterForeign: async () => [],
    filterUntraceable: async () => [],
    scope: () => {
      scope ??= readScope();
      return scope;
    },
  };
}

/**
 * Line such as `  501     1   501 Ss   Mon Jan  5 10:02:03 2026     /bin/sh -c …`, as `LC_ALL=C` prints it: macOS pads the time to 28
 * columns. A line break in a command is printed as `^J`.
 */
const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+) *(.*)$/;

export function parsePsLines(text: string): readonly ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, ppid, pgid, state = '', startedAt = '', command = ''] = psLine.exec(line) ?? [];
    if (pid === undefined) return [];
    return {
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      sid: 0,
      startedAt,
      alive: !state.startsWith('Z'),
      stopped: state.startsWith('T'),
      blocked: state.startsWith('U'),
      command,
    };
  });
}

function parseCarriers(text: string, cookie: string): readonly number[] {
  return text.split('\n').flatMap((line) => {
    const lineages = line.split(' ').filter((word) => word.startsWith(`${LINEAGE}=`));
    return lineages.some((lineage) => lineage.includes(cookie)) ? [Number.parseInt(line, 10)] : [];
  });
}

async function readScope(): Promise<TableScope> {
  const bootId = (await run('sysctl', ['-n', 'kern.bootsessionuuid'])).trim();
  return { bootId: bootId === '' ? null : bootId, pidNamespace: null };
}

/** Runs a program. `ps -p` without a match exits 1 and prints nothing, which is an answer; a failure must not look like one. */
async function run(file: string, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  const result = await runProgram(file, args, { env, extendEnv: false });
  if (result.failed && result.exitCode !== 1) {
    throw new TroupeError({ code: 'internal', message: `${file} returned no process table`, cause: result });
  }
  return result.stdout;
}
