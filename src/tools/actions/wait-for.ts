import type { StreamPositions } from '../../output/output-chunk.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import { awaitConditions, type WaitResult } from '../wait/await-conditions.ts';
import { findMatchedLine } from '../wait/matched-line.ts';
import { outputCondition } from '../wait/output-condition.ts';
import { quietCondition } from '../wait/quiet-condition.ts';
import { exitCondition, readyCondition } from '../wait/view-conditions.ts';
import type { WaitCondition } from '../wait/wait-condition.ts';
import type { Outcome } from './outcome.ts';

/** What is shown of the output that the agent has not read yet. */
const MAX_SHOWN_BYTES = 4_000;

export interface WaitRequest {
  readonly id: string;
  readonly exit?: boolean | undefined;
  readonly text?: string | undefined;
  readonly pattern?: string | undefined;
  readonly ready?: boolean | undefined;
  readonly quietMs?: number | undefined;
  readonly mode: 'any' | 'all';
  /** Where in the output the search begins. `unread`: behind the last read of this owner. */
  readonly from: 'unread' | 'now' | 'start';
  readonly timeoutMs: number;
}

export interface Waited extends WaitResult {
  readonly view: ProcessView;
  readonly missing: readonly WaitCondition['name'][];
  /** The newest line with the text or pattern, where that was found. */
  readonly matchedLine: string | null;
  /** What the agent had not read yet. */
  readonly output: string;
}

/** Waits for something of one process, without polling. It changes nothing: however the wait ends, the process goes on. */
export async function waitFor(request: WaitRequest, context: ToolContext): Promise<Outcome<Waited>> {
  const { clock, interrupt } = context;
  const handle = findProcess(request.id, context);
  if ('ok' in handle) return handle;
  const problem = request.pattern === undefined ? null : findProblem(handle, request.pattern);
  if (problem !== null) return { ok: false, error: problem };
  const last = exitCondition(handle);
  const conditions = toConditions(request, { handle, context });
  const { mode, timeoutMs } = request;
  const result = await awaitConditions({ conditions, mode, last, timeoutMs, clock, interrupt });
  const wanted = result.met.includes('pattern')
    ? { pattern: request.pattern }
    : { text: result.met.includes('text') ? request.text : undefined };
  const view = handle.view();
  const reader = handle.reader(context.owner);
  const read = handle.read({ since: reader.positions, maxBytes: MAX_SHOWN_BYTES }, 'agent');
  return {
    ok: true,
    value: {
      ...result,
      view,
      missing: conditions.map(({ name }) => name).filter((name) => !result.met.includes(name)),
      matchedLine: findMatchedLine(handle, wanted),
      output: read.text,
    },
    reveals: toRevealed(view),
    ...(!read.truncated && { onRecorded: () => reader.acknowledge(read) }),
  };
}

function toConditions(
  request: WaitRequest,
  { handle, context }: { handle: ProcessHandle; context: ToolContext },
): readonly WaitCondition[] {
  const { text, pattern, ready, quietMs } = request;
  const from = findStart(request.from, { handle, owner: context.owner });
  const conditions = [
    ...(text === undefined ? [] : [outputCondition({ type: 'text', text }, { handle, from })]),
    ...(pattern === undefined ? [] : [outputCondition({ type: 'pattern', pattern }, { handle, from })]),
    ...(ready === true ? [readyCondition(handle)] : []),
    ...(quietMs === undefined ? [] : [quietCondition(quietMs, { handle, clock: context.clock })]),
  ];
  return request.exit === true || conditions.length === 0
    ? [...conditions, exitCondition(handle)]
    : conditions;
}

function findStart(
  from: WaitRequest['from'],
  { handle, owner }: { handle: ProcessHandle; owner: string },
): StreamPositions {
  if (from === 'start') return { stdout: 0, stderr: 0, screen: 0 };
  return from === 'now' ? handle.read({ tail: 0 }).positions : handle.reader(owner).positions;
}

/** In words what is wrong with an expression, before anybody waits for it. */
function findProblem(handle: ProcessHandle, pattern: string): string | null {
  const { problem } = handle.read({ since: handle.read({ tail: 0 }).positions, grep: pattern });
  return problem === null ? null : `Nothing was waited for: ${problem}.`;
}
