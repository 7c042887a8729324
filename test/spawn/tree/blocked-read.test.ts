import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { findBlockedRead, findInputSource, type ReadCall } from '../../../src/spawn/tree/blocked-read.ts';
import { findDescendants, listThreads } from '../../../src/spawn/tree/descendants.ts';
import { endAll, stateOf, waitUntil } from '../../support/os.ts';

/** Reads no call, as for a process that we may not trace. */
const hidden: ReadCall = () => null;
const withinMs = 30_000;

test.each([
  ['a read', 'os.read(0, 1)', 'certain'],
  ['a read in another thread', 'threading.Thread(target=os.read, args=(0, 1)).start()', 'certain'],
  ['a poll', 'p = select.poll(); p.register(0, 1); p.poll()', 'certain'],
  ['a poll for what cannot come', 'p = select.poll(); p.register(0, 2); p.poll()', 'none'],
  ['a poll with an end', 'p = select.poll(); p.register(0, 1); p.poll(90000)', 'possible'],
  ['a select', 'select.select([0], [], [])', 'certain'],
  ['an epoll', 'p = select.epoll(); p.register(0, 1); p.poll()', 'certain'],
  [
    'an epoll without it',
    'p = select.epoll(); p.register(socket.create_server(("127.0.0.1", 0)), 1); p.poll()',
    'none',
  ],
  [
    'a select with a server beside it',
    'select.select([0, socket.create_server(("127.0.0.1", 0))], [], [])',
    'possible',
  ],
  ['a select with an alarm beside it', 'r, w = os.pipe(); select.select([0, r], [], [])', 'certain'],
  [
    'a poll with an entry that is none',
    'a = (ctypes.c_int * 4)(0, 1, -1, 1); ctypes.CDLL(None).poll(a, 2, -1)',
    'certain',
  ],
  [
    'an epoll with a timer beside it',
    'p = select.epoll(); p.register(0, 1); p.register(ctypes.CDLL(None).timerfd_create(1, 0), 1); p.poll()',
    'possible',
  ],
  ['a read of another pipe', 'r, w = os.pipe(); os.read(r, 1)', 'none'],
  ['a sleep', 'time.sleep(90)', 'none'],
])('a blocked read is classified: %s', { timeout: 60_000 }, async (_what, program, found) => {
  const { pid, source } = await startBlocked(program);

  expect(findBlockedRead([pid], { source })).toBe(found);
});

test('a halted reader does not wait for input', { timeout: 60_000 }, async () => {
  const { pid, source } = await startBlocked('os.read(0, 1)');

  process.kill(pid, 'SIGSTOP');

  await waitUntil(() => findBlockedRead([pid], { source }) === 'none', { withinMs });
});

test('a reader halted in poll may wait again', { timeout: 60_000 }, async () => {
  const { pid, source } = await startBlocked('p = select.poll(); p.register(0, 1); p.poll()');

  process.kill(pid, 'SIGSTOP');
  await waitUntil(() => findBlockedRead([pid], { source }) === 'none', { withinMs });
  process.kill(pid, 'SIGCONT');

  await waitUntil(() => findBlockedRead([pid], { source }) === 'unknown', { withinMs });
});

test('an ended process does not wait for input', { timeout: 60_000 }, async () => {
  const { pid, source } = await startBlocked('os.read(0, 1)');

  process.kill(pid, 'SIGKILL');

  await waitUntil(() => findBlockedRead([pid], { source }) === 'none', { withinMs });
  expect(findBlockedRead([pid], { source, readCall: hidden })).toBe('none');
});

test.each([
  ['a read of the only pipe is certain', 'os.read(0, 1)', 'certain'],
  ['a read of one of two pipes is not', 'r, w = os.pipe(); os.read(0, 1)', 'unknown'],
  ['a select says nothing', 'select.select([0], [], [])', 'unknown'],
  ['a sleep is no read', 'time.sleep(90)', 'none'],
])('a thread without a visible call is classified: %s', { timeout: 60_000 }, async (_law, program, found) => {
  const { pid, source } = await startBlocked(program);

  expect(findBlockedRead([pid], { source, readCall: hidden })).toBe(found);
});

test('a file is not an input source', { timeout: 60_000 }, async () => {
  const { pid } = startPython('import time; time.sleep(90)', ['ignore', 'ignore', 'inherit']);

  expect(findInputSource(pid)).toBeNull();
  expect(findInputSource(2 ** 22)).toBeNull();
});

test('descendants include all processes below', { timeout: 60_000 }, async () => {
  const { pid } = start(['sh', '-c', 'bash -c "sleep 90; true"; true'], 'ignore');

  const pids = await waitUntil(
    () => {
      const found = findDescendants(pid) ?? [];
      return found.length === 3 && commandOf(found[2] ?? 0) === 'sleep' ? found : null;
    },
    { withinMs },
  );
  onTestFinished(() => endAll(pids));

  expect(pids.map(commandOf)).toEqual(['sh', 'bash', 'sleep']);
  expect(findDescendants(2 ** 22)).toBeNull();
});

/** Loads the modules of the programs, then prints: until then, Python may wait for its own files. */
const prologue = 'import ctypes, os, select, socket, threading, time; print(flush=True)';

/** Starts a program with a pipe for its input, and waits until each of its threads sleeps in the given call. */
async function startBlocked(program: string): Promise<{ pid: number; source: string }> {
  const { pid, stdout } = startPython(`${prologue}\n${program}`, ['pipe', 'pipe', 'inherit']);
  if (stdout === null) throw new Error('python3 has no pipe for its output');
  await once(stdout, 'data');
  const source = await waitUntil(() => findInputSource(pid), { withinMs });
  let before = '';
  let same = 0;
  await waitUntil(
    () => {
      const now = callsOf(pid);
      same = now === before && listThreads(pid).every((tid) => stateOf(tid) === 'S') ? same + 1 : 0;
      before = now;
      return same > 30;
    },
    { withinMs },
  );
  return { pid, source };
}

/** Calls of all threads, because the first may wait for one that has no processor yet. */
function callsOf(pid: number): string {
  return listThreads(pid)
    .map((tid) => readFileSync(`/proc/${pid}/task/${tid}/syscall`, 'utf8'))
    .join();
}

function startPython(program: string, stdio: StdioOptions) {
  return start(['python3', '-c', program], stdio);
}

function start([file, ...args]: readonly [string, ...string[]], stdio: StdioOptions) {
  const { pid, stdout } = spawn(file, args, { stdio });
  if (pid === undefined) throw new Error(`${file} did not start`);
  onTestFinished(() => endAll([pid]));
  return { pid, stdout };
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
}
