import type { Clock } from '../clock/clock.ts';
import type { AgentDefinition } from '../config/agent-file-schema.ts';
import { shorten } from '../config/quote.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import { readAgentAnswer } from '../process/agent-answer.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { type FinalView, isEnded, type ProcessView } from '../process/process-view.ts';
import { orInterrupted } from '../tools/interruption.ts';
import { toRevealed } from '../tools/process-summary.ts';
import type { ToolAnswer, ToolContext } from '../tools/tool.ts';
import type { DelegationContext } from './agent.ts';
import type { DelegationDeps } from './delegation-deps.ts';
import { toTask } from './delegation-text.ts';
import { canStartAgent, describeRefusedDepth } from './depth-limit.ts';
import { startDelegate } from './start-delegate.ts';

/** Call of a delegation tool. */
interface DelegationRequest {
  readonly delegate: AgentDefinition;
  readonly task: string;
  /** Facts that the delegate should know beside the task. */
  readonly facts: readonly string[];
  readonly mode: 'subprocess' | 'in_process';
  readonly background: boolean;
  readonly timeoutMs: number;
}

/**
 * Delegates work and waits for the answer; on time-out or interruption the delegate continues in the background.
 *
 * @throws TroupeError as `Supervisor.start` does.
 */
export async function delegateWork(
  request: DelegationRequest,
  { deps, context }: { deps: DelegationDeps; context: ToolContext },
): Promise<ToolAnswer> {
  const depth = deps.depth + 1;
  if (!canStartAgent(depth, deps.maxDepth)) return { ok: false, error: describeRefusedDepth(deps.maxDepth) };
  const { definition } = deps;
  const facts = [...(definition.context?.facts ?? []), ...request.facts];
  const told = buildContext({ definition, transcript: deps.transcript(), facts, depth });
  // A holder of a slot that waits for another slot may wait for itself, so nested delegates never queue.
  const background = request.background || deps.isNested;
  const handle = await startDelegate({ ...request, context: told, background }, { deps, context });
  if (deps.isNested && isQueued(handle)) {
    await handle.kill({ by: 'supervisor' });
    return {
      ok: false,
      error:
        'All slots for agents are taken (max_parallel_agents), and this one must not wait for one of them.',
    };
  }
  if (request.background) return toRunningAnswer(handle.view(), 'Started.');
  const end: Promise<unknown> = deps.isNested
    ? untilEnd(handle, { timeoutMs: request.timeoutMs, clock: context.clock })
    : handle.result();
  const waited = await orInterrupted(end, context.interrupt);
  if (waited.type === 'interrupted') handle.background('owner');
  const view = isEnded(handle.view()) ? await handle.ended : handle.view();
  if (isEnded(view)) return toDelegateAnswer(handle, view);
  if (view.status === 'stopping') return toRunningAnswer(view, 'It is being stopped and is not gone yet.');
  return toRunningAnswer(view, waited.type === 'interrupted' ? 'Interrupted.' : 'It has not answered yet.');
}

function isQueued(handle: ProcessHandle): boolean {
  const view = handle.view();
  return view.status === 'pending' && view.queued;
}

/** Resolves at the end of the process, or on time-out. */
function untilEnd(
  handle: ProcessHandle,
  { timeoutMs, clock }: { timeoutMs: number; clock: Clock },
): Promise<void> {
  return new Promise((resolve) => {
    const disarm = clock.at(clock.nowMs() + timeoutMs, resolve);
    void handle.ended.then(() => {
      disarm();
      resolve();
    });
  });
}

const MAX_SHOWN_LENGTH = 32 * 1024;
const MAX_COMPLAINT_BYTES = 2_000;

/** Returns the answer of an ended delegate, or how it ended where it gave none. */
function toDelegateAnswer(handle: ProcessHandle, view: FinalView): ToolAnswer {
  const reveals = toRevealed(view);
  const said = readAgentAnswer(handle);
  if (said === null) return { ok: false, error: describeSilence(handle, view), reveals, worked: true };
  if (said.ok) return { ok: true, data: cut(said.data, handle.id), reveals };
  return { ok: false, error: String(cut(said.error, handle.id)), reveals, worked: true };
}

/** Describes a delegate that continues in the background. */
function toRunningAnswer(view: ProcessView, why: string): ToolAnswer {
  const message =
    `${why} It continues in the background as ${view.id}. You will get a notice with its answer when it ends; ` +
    'do not poll.';
  return { ok: true, data: { status: view.status, process_id: view.id, message } };
}

function describeSilence(handle: ProcessHandle, view: FinalView): string {
  const name = String(view.metadata['agent']);
  const { text } = handle.read({ stream: 'stderr', tail: 20, maxBytes: MAX_COMPLAINT_BYTES });
  const complaint = text.trim() === '' ? '' : `\n${text.trim()}`;
  return `The agent ${name} (${view.id}) gave no answer: it ${describeEnd(view.reason, view.exit)}.${complaint}`;
}

/** Shortens a long answer to its beginning and the size of the rest. */
function cut(value: unknown, id: string): unknown {
  if (typeof value !== 'string' || value.length <= MAX_SHOWN_LENGTH) return value;
  const shown = shorten(value, MAX_SHOWN_LENGTH);
  const left = value.length - (shown.length - 1);
  return `${shown}\n[${left} more characters; the whole is the output of ${id}]`;
}

/** Longest conversation that is not summarized: the task of the delegate says it all. */
const MAX_UNSUMMARIZED = 4;
const MAX_SUMMARY_LENGTH = 4_000;
const MAX_LINE_LENGTH = 300;
const MAX_TASK_LENGTH = 2_000;

/** Builds the context for a delegate, beside the task. Keys without a value are omitted. */
export function buildContext(given: {
  readonly definition: AgentDefinition;
  readonly transcript: readonly ChatMessage[];
  readonly facts: readonly string[];
  /** Depth of the delegate. */
  readonly depth: number;
}): DelegationContext {
  const { definition, transcript, facts, depth } = given;
  const said = transcript.findLast(({ role }) => role === 'user')?.text;
  const summary = summarize(transcript);
  return {
    parent_agent: definition.name,
    ...(said !== undefined && { parent_task: shorten(toTask(said), MAX_TASK_LENGTH) }),
    ...(summary !== null && { conversation_summary: summary }),
    ...(facts.length > 0 && { relevant_facts: facts }),
    depth,
  };
}

/**
 * Summarizes the conversation, one message per line, newest first within the limit. Input and output of tools are
 * omitted.
 */
function summarize(transcript: readonly ChatMessage[]): string | null {
  const spoken = transcript.filter(({ role }) => role !== 'system');
  if (spoken.length <= MAX_UNSUMMARIZED) return null;
  const lines = spoken.flatMap(toLine);
  let room = MAX_SUMMARY_LENGTH;
  const kept = lines.toReversed().filter((line) => {
    room -= line.length + 1;
    return room >= 0;
  });
  const left = lines.length - kept.length;
  return [...(left > 0 ? [`(${left} earlier messages)`] : []), ...kept.toReversed()].join('\n');
}

function toLine(message: ChatMessage): readonly string[] {
  switch (message.role) {
    case 'user':
      return [`user: ${oneLine(toTask(message.text))}`];
    case 'assistant': {
      const calls = message.toolCalls.map(({ name }) => name).join(', ');
      const said = [message.text.trim(), calls === '' ? '' : `[calls ${calls}]`].filter(
        (part) => part !== '',
      );
      return said.length === 0 ? [] : [`agent: ${oneLine(said.join(' '))}`];
    }
    case 'notice':
      return ['notice: processes have ended'];
    default:
      return [];
  }
}

function oneLine(text: string): string {
  return shorten(text.trim().replaceAll(/\s+/g, ' '), MAX_LINE_LENGTH);
}
