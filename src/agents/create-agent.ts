import { z } from 'zod';
import { type Duration, duration, formatDuration } from '../config/duration.ts';
import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { TurnOutcome } from '../conversation/conversation-event.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import type { Agent, AgentOptions, AgentResult, DelegationContext } from './agent.ts';
import { toRunLimits } from './agent-settings.ts';
import { assembleAgent } from './assemble-agent.ts';
import { toFirstMessage } from './delegation-text.ts';

/**
 * Creates an agent: a conversation, with a supervisor of its own unless one is given.
 *
 * @throws TroupeError `invalid-option`; `unknown-agent` and `invalid-agent-file` of a delegate; `delegation-depth`.
 */
export function createAgent(options: AgentOptions): Promise<Agent> {
  return assembleAgent(options, {
    // The process of a delegate in this program already enforces its limits.
    runDelegate: (delegate) =>
      runAgent(
        delegate.definition.limits?.max_run_time === undefined ? { ...delegate, timeout: 0 } : delegate,
      ),
  });
}

/** The times of `RunOptions`. */
const runTimes = z.object({ timeout: duration.optional(), wait: duration.optional() });

/** Options of `runAgent`. */
export interface RunOptions extends AgentOptions {
  /** The task, as the first message of a person. */
  readonly task: string;
  /** Facts that the agent above passes on. Default: none. */
  readonly context?: DelegationContext;
  /** Time limit of the whole run; 0: none. Default: the definition's `limits.max_run_time`, or 300 s. */
  readonly timeout?: Duration;
  /** Treatment of processes that still run after the answer. Default: the definition's, or `wait`. */
  readonly background?: 'wait' | 'kill';
  /** Time to wait for them. Default: the definition's, or 60 s. */
  readonly wait?: Duration;
  /** Aborted when the answer is no longer needed: the agent and its processes end. */
  readonly signal?: AbortSignal;
}

/** Gives an agent one task and waits for its answer, without a person. Never rejects; leaves nothing behind. */
export function runAgent(options: RunOptions): Promise<AgentResult> {
  return runTask(createAgent, options);
}

/**
 * Runs the task with an agent that `create` returns, and waits for its answer. Never rejects; leaves nothing behind.
 */
export async function runTask(
  create: (options: AgentOptions) => Promise<Agent>,
  options: RunOptions,
): Promise<AgentResult> {
  const { task, context, timeout, background, wait, signal, ...agentOptions } = options;
  let agent: Agent | null = null;
  let end: ReturnType<typeof stopAfter> | null = null;
  try {
    const times = parseOptions(runTimes, { input: { timeout, wait }, name: 'runAgent' });
    agent = await create({ ...agentOptions, definition: { ...agentOptions.definition, type: 'execution' } });
    const limits = toRunLimits(agent.definition);
    const { conversation } = agent;
    const said = collectAnswers(conversation);
    end = stopAfter(times.timeout ?? limits.timeoutMs, { signal, hasAnswer: () => said().answer !== null });
    const answered = work(conversation, {
      message: toFirstMessage({ task, ...(context !== undefined && { context }) }),
      finish: { background: background ?? limits.background, wait: times.wait ?? limits.waitMs },
    });
    const failure = await Promise.race([answered, end.reached]);
    return toResult(said(), { failure, isWanted: signal?.aborted !== true });
  } catch (error) {
    return { ok: false, error: toErrorText(error) };
  } finally {
    end?.disarm();
    await agent?.close();
  }
}

/** Resolves at the end of the agent's work with the failure of the last turn, or `null`. */
async function work(
  conversation: Conversation,
  { message, finish }: { message: string; finish: Parameters<Conversation['finish']>[0] },
): Promise<string | null> {
  const first = await conversation.say(message);
  if (first.type !== 'answered') return describeFailure(first);
  const last = await conversation.finish(finish);
  return last === null ? null : describeFailure(last);
}

/** Texts of finished turns. */
interface Said {
  /** Answer of the turn of the task; `null` until it has ended with one. */
  readonly answer: string | null;
  /** Texts of other turns, in order. */
  readonly remarks: readonly string[];
}

/** Collects what the agent says; the returned function tells what it has said so far. Messages of an interrupted turn do not count. */
function collectAnswers(conversation: Conversation): () => Said {
  let said: Said = { answer: null, remarks: [] };
  let ofTurn: string[] = [];
  let isOfTask = false;
  conversation.events$.subscribe((event) => {
    if (event.type === 'message.recorded') {
      ofTurn.push(...toAnswer(event.message));
      isOfTask ||= event.message.role === 'user';
    }
    if (event.type !== 'turn.ended') return;
    const { type } = event.outcome;
    const text = joinTexts(ofTurn);
    const counts = ofTurn.length > 0 && type !== 'interrupted' && type !== 'closed';
    if (counts && isOfTask) said = { ...said, answer: text };
    else if (counts && text !== '') said = { ...said, remarks: [...said.remarks, text] };
    ofTurn = [];
    isOfTask = false;
  });
  return () => said;
}

/** Returns the texts of a message; calls are none. */
function toAnswer(message: ChatMessage): readonly string[] {
  return message.role === 'assistant' && message.toolCalls.length === 0 ? [message.text] : [];
}

function joinTexts(texts: readonly string[]): string {
  const said = texts.filter((text) => text.trim() !== '');
  return [...said.slice(0, -1).map((text) => text.trimEnd()), ...said.slice(-1)].join('\n\n');
}

/** Returns the result. An answer stands despite later failures, which the note reports. */
function toResult(
  { answer, remarks }: Said,
  { failure, isWanted }: { failure: string | null; isWanted: boolean },
): AgentResult {
  if (answer === null || (failure !== null && !isWanted)) {
    return { ok: false, error: failure ?? 'The agent gave no answer.' };
  }
  return {
    ok: true,
    data: answer,
    ...(remarks.length > 0 && { remarks }),
    ...(failure !== null && { note: `After this answer: ${failure}` }),
  };
}

function describeFailure(outcome: TurnOutcome): string | null {
  switch (outcome.type) {
    case 'answered':
      return null;
    case 'stepLimit':
      return `The agent stopped after ${outcome.maxSteps} steps without an answer; limits.max_steps allows no more.`;
    case 'failed':
      return `The model failed: ${outcome.error}`;
    case 'interrupted':
      return 'The agent was interrupted before it had an answer.';
    case 'closed':
      return 'The agent was ended before it had an answer.';
  }
}

/** Resolves with the reason once the run must stop. */
function stopAfter(
  timeoutMs: number,
  { signal, hasAnswer }: { signal: AbortSignal | undefined; hasAnswer: () => boolean },
): { readonly reached: Promise<string>; disarm(): void } {
  const { promise: reached, resolve } = Promise.withResolvers<string>();
  const abort = () => resolve('The agent was ended before it had an answer.');
  const expire = () =>
    resolve(
      `The agent ${hasAnswer() ? 'was not done' : 'had no answer'} after ${formatDuration(timeoutMs)} and was ended; give it longer with --timeout or limits.max_run_time.`,
    );
  const timer = timeoutMs === 0 ? undefined : setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort);
  return {
    reached,
    disarm: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

/** Largest timer of Node; longer ones fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
