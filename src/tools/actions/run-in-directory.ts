import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';
import { type ForegroundRequest, type RunResult, runInForeground } from './run-in-foreground.ts';

/** Outcome of a command, with the change of its owner's directory. */
interface RunInDirectory {
  readonly outcome: Outcome<RunResult>;
  /** Directory of the next command if it differs from that of this command; otherwise `null`. */
  readonly movedTo: string | null;
  /** Sentences about the directory for the model; often empty. */
  readonly notes: readonly string[];
}

/**
 * Runs a command in the directory of its owner. A command that exits in another directory moves the owner there; one that is killed or
 * continues in the background does not.
 *
 * @throws TroupeError as `Supervisor.start` does.
 */
export async function runInDirectory(
  request: Omit<ForegroundRequest, 'cwd' | 'cwdFile'>,
  context: ToolContext,
): Promise<RunInDirectory> {
  const { path, note } = context.directory;
  // A folder of its own, removed at the end: a command that outlives the call cannot write its report any more.
  const folder = await mkdtemp(join(tmpdir(), 'troupe-cwd-'));
  try {
    const cwdFile = join(folder, 'cwd');
    const outcome = await runInForeground({ ...request, cwd: path, cwdFile }, context);
    const reported = hasExited(outcome) ? await readReport(cwdFile) : null;
    const refusal = reported === null ? null : await context.directory.follow(reported);
    const after = context.directory.next();
    const notes = [note, refusal].filter((each) => each !== null);
    return { outcome, movedTo: after === path ? null : after, notes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tells whether its shell has ended by itself. */
function hasExited(outcome: Outcome<RunResult>): boolean {
  if (outcome.ok) return outcome.value.type === 'ended';
  const { exit_code } = (outcome.data ?? {}) as { exit_code?: number | null };
  return typeof exit_code === 'number';
}

/** Returns the reported directory; `null` where there is no report. */
async function readReport(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const path = text.endsWith('\n') ? text.slice(0, -1) : text;
  return path.startsWith('/') ? path : null;
}
