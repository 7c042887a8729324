import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createCgroups } from '../src/spawn/cgroup/cgroups.ts';
import {
  commandOf,
  directoryOf,
  endAll,
  environmentOf,
  isAlive,
  kill,
  listPids,
  parentOf,
  stall,
} from './support/os.ts';

/** A process that was ordered to end may need this long on a slow machine. */
const MAX_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 50;
/** Enough to tell whose directory it is. */
const MAX_LISTED = 40;

/**
 * Marks the run: everything a test starts inherits `TROUPE_TEST_RUN` and a temp directory of its own. At the end
 * nothing may be left of either, or the run fails, names what is left and ends it. The mark keeps apart what other runs
 * on the same machine are doing.
 */
export default function markRun(): () => Promise<void> {
  const mark = randomUUID();
  const startedAt = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'troupe-run-'));
  // Some tests start programs as another user.
  chmodSync(folder, 0o711);
  process.env['TROUPE_TEST_RUN'] = mark;
  process.env['TMPDIR'] = folder;

  const endNow = (): void => endInterrupted({ mark, folder });
  process.once('exit', endNow);

  return async () => {
    process.off('exit', endNow);
    const processes = await waitUntilGone({ mark, folder });
    // A test that was cancelled has not cleaned up, and a persistent process outlives the run.
    await endAll(processes.map(({ pid }) => pid));
    removeDeadCgroups();
    const files = readdirSync(folder).filter(
      (name) => name.startsWith('troupe-') && !isOfKilledHost(join(folder, name)),
    );
    const contents = files.map((name) => {
      const path = join(folder, name);
      const changedAt = Math.round((statSync(path).mtimeMs - startedAt) / 1_000);
      const listed = readdirSync(path, { recursive: true }).slice(0, MAX_LISTED).join(', ');
      return `last changed ${changedAt} s after the start, with: ${listed || 'nothing'}`;
    });
    rmSync(folder, { recursive: true, force: true });
    const leftovers = [
      ...processes.map(({ pid, command }) => `process ${pid} is still alive: ${command}`),
      ...files.map((name, index) => `${name} was left in the temp directory, ${contents[index]}`),
    ];
    if (leftovers.length === 0) return;
    process.exitCode = 1;
    throw new Error(`The tests left something behind:\n${leftovers.map((line) => `  ${line}`).join('\n')}`);
  };
}

/** Ends an interrupted run, for which the test runner exits at once. Its workers are ended as well, because they would start more. */
function endInterrupted(run: Run): void {
  const untilMs = performance.now() + MAX_WAIT_MS;
  // A process may start while its parent is found and killed, so two looks in a row must find nothing.
  for (let timesGone = 0; timesGone < 2 && performance.now() < untilMs; stall(LOOK_AGAIN_MS)) {
    const carriers = findCarriers(run, { withWorkers: true });
    for (const { pid } of carriers) kill(pid);
    timesGone = carriers.length === 0 ? timesGone + 1 : 0;
  }
  removeDeadCgroups();
  rmSync(run.folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes what supervisors leave that were killed together with their watchdog: the next supervisor would do the same. */
function removeDeadCgroups(): void {
  const cgroups = createCgroups('sup_teardown', (id) => id);
  cgroups.open({ id: 'none', attempt: 1, outlives: false, limits: null });
  cgroups.close();
}

interface Carrier {
  readonly pid: number;
  readonly command: string;
}

interface Run {
  readonly mark: string;
  readonly folder: string;
}

async function waitUntilGone(run: Run): Promise<readonly Carrier[]> {
  const untilMs = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const carriers = findCarriers(run);
    if (carriers.length === 0 || performance.now() > untilMs) return carriers;
    await delay(LOOK_AGAIN_MS);
  }
}

/**
 * Finds the processes that this run has started: carriers of the mark, and tmux servers and their commands, which do not carry it but listen
 * or work in the folder. The workers of the test runner are included only `withWorkers`. Finds nothing outside Linux.
 */
function findCarriers(run: Run, { withWorkers = false } = {}): readonly Carrier[] {
  if (process.platform !== 'linux') return [];
  return listPids()
    .filter((pid) => pid !== process.pid && (isOf(run, pid) || listensIn(pid, run.folder)) && isAlive(pid))
    .filter((pid) => withWorkers || parentOf(pid) !== process.pid)
    .map((pid) => ({ pid, command: commandOf(pid).join(' ') }));
}

function isOf({ mark, folder }: Run, pid: number): boolean {
  const variables = environmentOf(pid).split('\0');
  if (variables.includes(`TROUPE_TEST_RUN=${mark}`)) return true;
  // The terminal of a launcher is in the folder, and a command works there.
  const isSupervised = variables.some((variable) => variable.startsWith('TROUPE_LINEAGE='));
  return isSupervised && [...variables, directoryOf(pid)].some((text) => `${text}/`.includes(`${folder}/`));
}

function listensIn(pid: number, folder: string): boolean {
  const command = commandOf(pid).join(' ');
  return /^(\S*\/)?tmux\b/.test(command) && command.includes(`${folder}/`);
}

/**
 * A host that a test ends with SIGKILL may be in the middle of making FIFOs, and leaves the environments of its persistent processes to the
 * next one: their directory, empty if it was about to write or had just removed the last.
 */
function isOfKilledHost(path: string): boolean {
  if (basename(path).startsWith('troupe-fifo-')) return true;
  return /^troupe-\d+-/.test(basename(path)) && readdirSync(path).every((name) => name.endsWith('.env'));
}
