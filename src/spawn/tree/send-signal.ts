import { constants } from 'node:os';
import type { ProcessSignal, SentSignal } from '../../../machines/process/context.ts';
import { ownsPid } from './identity.ts';
import { readProcText } from './proc-entry.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** Sends a signal like kill(2): a negative target is a group, signal 0 only checks. Throws an `ErrnoException`. */
export type SendSignal = (target: number, signal: ProcessSignal | 0) => void;

interface SendRequest {
  readonly table: ProcessTable;
  readonly send: SendSignal;
  readonly signal: ProcessSignal;
  readonly targets: readonly ProcessEntry[];
  /** Groups without foreign processes: signalled as one, so that no process forked meanwhile is missed. */
  readonly groups: ReadonlySet<number>;
}

/**
 * Signals each of `targets` once that is still the same process: all are checked again right before. Refused targets (see
 * `isRefusedTarget`), ended processes and reused pids get nothing. Returns what was sent.
 */
export async function sendToMembers(request: SendRequest): Promise<readonly SentSignal[]> {
  return (await deliver(request)).sent;
}

/**
 * Signals `targets` so that they end: those that would not hear of it get SIGHUP or SIGCONT as well.
 */
export async function endMembers({
  isHalted,
  ...request
}: SendRequest & { readonly isHalted: (entry: ProcessEntry) => boolean }): Promise<readonly SentSignal[]> {
  const { send, signal } = request;
  const { sent, present } = await deliver(request);
  const single = (name: ProcessSignal, entries: readonly ProcessEntry[]) =>
    toSent('process', {
      signal: name,
      pids: entries.flatMap(({ pid }) => (sendIfAlive(send, { target: pid, signal: name }) ? [pid] : [])),
    });
  // An interactive shell ends when its terminal hangs up, and ignores SIGTERM.
  const deaf = signal === 'SIGTERM' ? present.filter(({ pid }) => endsByHangup(pid)) : [];
  const halted = signal === 'SIGKILL' ? [] : present.filter(isHalted);
  return [...sent, ...single('SIGHUP', deaf), ...single('SIGCONT', halted)];
}

/** Sends the signal, to whole groups first. `present`: the targets that may be signalled. */
async function deliver({ table, send, signal, targets, groups }: SendRequest): Promise<{
  readonly sent: readonly SentSignal[];
  readonly present: readonly ProcessEntry[];
}> {
  const entries = await table.readAll([process.pid, ...targets.map(({ pid }) => pid)]);
  // No `await` from here on: the check holds only for this turn.
  const now = new Map(entries.map((entry) => [entry.pid, entry]));
  const self = now.get(process.pid);
  const own = { pid: process.pid, pgid: self?.pgid ?? 0, sid: self?.sid ?? 0 };

  const alive = targets.flatMap((target) => {
    const entry = now.get(target.pid);
    return entry?.alive && ownsPid(target, entry) ? [entry] : [];
  });
  const wholeGroups = new Set(
    alive.map(({ pgid }) => pgid).filter((pgid) => groups.has(pgid) && !isRefusedTarget(pgid, own)),
  );
  const present = alive.filter(({ pid }) => !isRefusedTarget(pid, own));
  const single = present.filter(({ pgid }) => !wholeGroups.has(pgid));

  const reached = new Set([...wholeGroups].filter((pgid) => sendIfAlive(send, { target: -pgid, signal })));
  const inGroups = alive.flatMap(({ pid, pgid }) => (reached.has(pgid) ? [pid] : []));
  const alone = single.flatMap(({ pid }) => (sendIfAlive(send, { target: pid, signal }) ? [pid] : []));
  return {
    sent: [...toSent('group', { signal, pids: inGroups }), ...toSent('process', { signal, pids: alone })],
    present,
  };
}

/** Returns the signal as it was sent; nothing if it reached no process. */
export function toSent(via: SentSignal['via'], sent: Omit<SentSignal, 'via'>): readonly SentSignal[] {
  return sent.pids.length === 0 ? [] : [{ ...sent, via }];
}

/**
 * Tells whether a process ignores SIGTERM and handles SIGHUP, as interactive bash, zsh and others do. `false` where the system
 * does not say.
 */
function endsByHangup(pid: number): boolean {
  const status = readProcText(`/proc/${pid}/status`) ?? '';
  const has = (field: string, number: number) => {
    const mask = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0';
    return (BigInt(`0x${mask}`) & (1n << BigInt(number - 1))) !== 0n;
  };
  return has('SigIgn', constants.signals.SIGTERM) && has('SigCgt', constants.signals.SIGHUP);
}

/** Tells whether a group has members, zombies included. A group we may not signal has. */
export function groupExists(send: SendSignal, pgid: number): boolean {
  if (pgid <= 1) return false;
  try {
    send(-pgid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * Sends a signal, and returns whether it reached a process. ESRCH: the target has ended. EPERM: it belongs to another user now and stays
 * alive, as its watcher reports.
 */
function sendIfAlive(
  send: SendSignal,
  { target, signal }: { target: number; signal: ProcessSignal },
): boolean {
  try {
    send(target, signal);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    return false;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Numbers by which this program itself can be reached. */
interface OwnNumbers {
  readonly pid: number;
  readonly pgid: number;
  readonly sid: number;
}

/**
 * Returns whether `id`, a process or a group, must never be signalled: for kill(2), 0 is the caller's own group, and 1 is the first
 * process of the system or, as group -1, all processes. This program and numbers that are no pids are refused too.
 */
export function isRefusedTarget(id: number, own: OwnNumbers): boolean {
  if (!Number.isSafeInteger(id) || id <= 1) return true;
  return id === own.pid || id === own.pgid || id === own.sid;
}
