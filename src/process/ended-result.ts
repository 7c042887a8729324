import type { TreeMember } from '../../machines/process/context.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import { describeEnd } from './describe-end.ts';
import type { AgentAnswer, EndedResult, EndFacts, Leftover, PrintedText } from './process-result.ts';
import type { FinalView, ProcessView } from './process-view.ts';

/** Output of an ended process, and processes that it left running. */
export interface EndParts {
  readonly view: FinalView;
  readonly printed: PrintedText;
  readonly leftovers: readonly Leftover[];
  readonly suspects: readonly Leftover[];
}

/** Returns the result of an ended process. `inputError` is the error of its option `input`, where that failed. */
export function toEndedResult(
  { view, printed, leftovers, suspects }: EndParts,
  { answer = null, inputError = null }: { answer?: AgentAnswer | null; inputError?: string | null } = {},
): EndedResult {
  const { reason, exit } = view;
  const because = inputError === null ? '' : `, because its input failed: ${inputError}`;
  const message = `Process ${view.id} ${describeEnd(reason, exit)}${because}.`;
  const facts: EndFacts = {
    ...printed,
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    leftovers,
    suspects,
    process: view,
  };
  if (view.status === 'completed') return { type: 'completed', ...facts, exitCode: 0, signal: null, answer };
  switch (reason.type) {
    case 'exited':
    case 'signalled':
    case 'spawnFailed':
    case 'outOfMemory':
    case 'fileTooLarge':
      return { type: 'failed', ...facts, reason, message };
    case 'killed':
    case 'cancelled':
      return { type: 'killed', ...facts, by: reason.by, receipt: view.receipt, message };
    case 'timed_out':
      return { type: 'timed_out', ...facts, limit: reason.limit, afterMs: reason.afterMs, message };
    case 'lost':
      return { type: 'lost', ...facts, why: reason.why, message };
  }
}

/** Returns the leftovers and suspects of a process, with the ports on which each listens; empty until it has ended. */
export async function toLiving(
  view: ProcessView,
  findPorts: (pids: readonly number[]) => Promise<readonly number[]>,
): Promise<Pick<EndParts, 'leftovers' | 'suspects'>> {
  if (!('leftovers' in view)) return { leftovers: [], suspects: [] };
  const { leftovers, suspects } = view;
  // Most listen on no port: then the sockets of the machine are read only once.
  const isServing = (await findPorts([...leftovers, ...suspects].map(({ pid }) => pid))).length > 0;
  const toLeftovers = async (members: readonly TreeMember[]) => {
    const found: Leftover[] = [];
    for (const { pid, command } of members)
      found.push({ pid, command, ports: isServing ? await findPorts([pid]) : [] });
    return found;
  };
  return { leftovers: await toLeftovers(leftovers), suspects: await toLeftovers(suspects) };
}

/** Reads the output for a result: a text that is too long for one read keeps head and tail. */
export async function readPrinted(
  read: (options: ReadOptions) => OutputRead | Promise<OutputRead>,
): Promise<PrintedText> {
  const all = await read({ format: 'raw' });
  const { stdout: fromStdout, stderr: fromStderr, screen: fromScreen } = all.positions;
  const readOne = (stream: 'stdout' | 'stderr', isAll: boolean) =>
    isAll ? all : read({ stream, format: 'raw' });
  // Most commands use one stream, and a large one is costly to read twice.
  const stdout = await readOne('stdout', fromStderr === 0 && fromScreen === 0);
  const stderr = await readOne('stderr', fromStdout === 0 && fromScreen === 0 && fromStderr > 0);
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    output: all.text,
    truncated: [stdout, stderr, all].some(({ truncated, droppedBytes }) => truncated || droppedBytes > 0),
    droppedBytes: all.omittedBytes,
  };
}
