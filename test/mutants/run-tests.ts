import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import type { TreeCopy } from './tree-copy.ts';

/** Time limit of a test that waits for an event that never comes. */
const TEST_TIMEOUT_MS = 30_000;
/** Time without the end of any test, after which the run counts as a hang: no limit inside the run interrupts an endless loop. */
const HANG_MS = 60_000;
const LOOK_MS = 200;

export type TestRun =
  | { readonly outcome: 'passed'; readonly ran: readonly string[] }
  | { readonly outcome: 'failed'; readonly ran: readonly string[]; readonly by: Failure }
  | { readonly outcome: 'hung'; readonly ran: readonly string[] }
  | { readonly outcome: 'out of time'; readonly ran: readonly string[] };

/** First failure of a run. `file` is absent if the run failed outside of a test, for example because a process was left behind. */
export interface Failure {
  readonly test: string;
  readonly file?: string;
}

/**
 * Runs test files in a copy, until one fails unless `bail` is false. They run in a PID namespace of their own: a mutant that kills the wrong process reaches nothing
 * outside, and nothing outlives the run.
 */
export async function runTests(
  copy: TreeCopy,
  files: readonly string[],
  withinMs: number,
  { bail = true } = {},
): Promise<TestRun> {
  const progress = join(copy.root, '.vitest/progress');
  rmSync(progress, { force: true });
  const reporter = [
    '--reporter=./test/mutants/progress-reporter.ts',
    '--config=test/mutants/vitest.config.ts',
  ];
  const limits = [...(bail ? ['--bail=1'] : []), `--testTimeout=${TEST_TIMEOUT_MS}`];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...limits];
  const command = [process.execPath, ...vitest, ...reporter, ...files];
  const child = spawn('unshare', [...namespace(), 'sh', '-c', '"$@"; exit $?', 'sh', ...command], {
    cwd: copy.root,
    env: { ...process.env, TMPDIR: copy.temp, HOME: copy.home, TROUPE_MUTANT_PROGRESS: progress },
    stdio: 'ignore',
  });
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const stopped = new AbortController();
  const limit = watchLimits({ progress, withinMs, signal: stopped.signal }).then((reason) => {
    if (reason !== null) child.kill('SIGKILL');
    return reason;
  });
  const code = await ended;
  stopped.abort();
  process.removeListener('exit', endWithUs);
  const reason = await limit;
  const { ran, failure } = readProgress(progress);
  if (failure !== null) return { outcome: 'failed', ran, by: failure };
  if (reason !== null) return { outcome: reason, ran };
  if (code !== 0) return { outcome: 'failed', ran, by: { test: 'the run' } };
  return { outcome: 'passed', ran };
}

/** The end of `unshare` ends the namespace. */
function namespace(): readonly string[] {
  const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  return [...asUser, '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'];
}

interface Limits {
  readonly progress: string;
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

async function watchLimits({ progress, withinMs, signal }: Limits): Promise<'hung' | 'out of time' | null> {
  const startedMs = Date.now();
  try {
    for await (const _ of setInterval(LOOK_MS, null, { signal })) {
      const lastMs = existsSync(progress) ? statSync(progress).mtimeMs : startedMs;
      if (Date.now() - Math.max(lastMs, startedMs) > HANG_MS) return 'hung';
      if (Date.now() - startedMs > withinMs && Date.now() - lastMs < HANG_MS / 2) return 'out of time';
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return null;
}

interface Progress {
  readonly ran: readonly string[];
  readonly failure: Failure | null;
}

function readProgress(path: string): Progress {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = text.split('\n').filter((line) => line.endsWith('}'));
  const events = lines.map((line) => JSON.parse(line) as { failed?: string; passed?: string; file?: string });
  const first = events.find(({ failed }) => failed !== undefined);
  return {
    ran: events.flatMap(({ passed }) => passed ?? []),
    failure:
      first?.failed === undefined
        ? null
        : { test: first.failed, ...(first.file !== undefined && { file: first.file }) },
  };
}
