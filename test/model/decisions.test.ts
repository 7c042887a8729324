import { describe, expect, test } from 'vitest';
import {
  type ConversationContext,
  createConversationContext,
  type MailboxItem,
} from '../../machines/conversation/context.ts';
import {
  hasPendingMessage,
  hasReasonToWake,
  nextDelivery,
  removeDelivered,
} from '../../machines/conversation/delivery.ts';
import { isWorthRetrying, toBackoffMs } from '../../machines/conversation/model-retry.ts';
import { notProvided } from '../../machines/not-provided.ts';
import { createProcessContext, type ProcessContext } from '../../machines/process/context.ts';
import { toEndLimit } from '../../machines/process/end-limit.ts';
import {
  backoffMs,
  hasRestartedTooOften,
  isCleanExit,
  isRestartWanted,
  nextSeed,
  recentRestarts,
  toChance,
} from '../../machines/process/restart.ts';
import { finalStatuses, isFinal } from '../../machines/process/view.ts';

const restart = {
  maxRestarts: 3,
  withinMs: 1_000,
  minBackoffMs: 100,
  maxBackoffMs: 1_000,
  healthyAfterMs: 1,
};

describe('a restart', () => {
  test.each([
    ['temporary', 1, false, false],
    ['temporary', 0, false, true],
    ['temporary', null, false, false],
    ['transient', 1, true, false],
    ['transient', 0, false, true],
    ['transient', null, true, false],
    ['permanent', 1, true, false],
    ['permanent', 0, true, false],
    ['permanent', null, true, false],
  ] as const)(
    'is wanted for a %s process after the code %j: %s; the exit is clean: %s',
    (policy, code, isWanted, isClean) => {
      const exit = { code, signal: code === null ? ('SIGKILL' as const) : null };

      expect(isRestartWanted({ restart: { ...restart, policy }, exit })).toBe(isWanted);
      expect(isCleanExit({ restart: { ...restart, policy }, exit })).toBe(isClean);
    },
  );

  test('is wanted where the exit is unknown', () => {
    expect(isRestartWanted({ restart: { ...restart, policy: 'transient' }, exit: null })).toBe(true);
    expect(isCleanExit({ restart: { ...restart, policy: 'transient' }, exit: null })).toBe(false);
  });

  test('counts for the time of its window', () => {
    const past = { restart: { ...restart, policy: 'transient' as const }, restartTimesMs: [1, 500, 900] };

    expect(recentRestarts(past, 1_000)).toEqual([1, 500, 900]);
    expect(recentRestarts(past, 1_001)).toEqual([500, 900]);
    expect([hasRestartedTooOften(past, 1_000), hasRestartedTooOften(past, 1_001)]).toEqual([true, false]);
  });

  test.each([
    [0, 0, 100],
    [1, 0, 200],
    [3, 0, 800],
    [4, 0, 1_000],
    [50, 0, 1_000],
    [0, 1, 75],
    [0, 0.5, 88],
  ])('number %i with the chance %d pauses %d ms', (count, chance, pauseMs) => {
    expect(backoffMs({ ...restart, policy: 'transient' }, count, chance)).toBe(pauseMs);
  });

  test('has the same chances for the same seed', () => {
    expect([nextSeed(0), nextSeed(1), nextSeed(4_294_967_295)]).toEqual([
      1_013_904_223, 1_015_568_748, 1_012_239_698,
    ]);
    expect([toChance(0), toChance(2 ** 31)]).toEqual([0, 0.5]);
  });
});

describe('the limit that ends a process', () => {
  const limits = { timeoutMs: 10, maxExecutionMs: 20, maxBackgroundMs: 30 };
  const endOf = (more: object) =>
    toEndLimit({ background: false, onTimeout: 'background', limits, ...more } as unknown as ProcessContext);
  const timeout = { limit: 'timeout', afterMs: 10, from: 'call' };
  const execution = { limit: 'maxExecutionTime', afterMs: 20, from: 'call' };
  const inBackground = { limit: 'maxBackgroundTime', afterMs: 30, from: 'start' };

  test.each([
    ['in the background', { background: true }, inBackground],
    ['in the background without one', { background: true, limits: { ...limits, maxBackgroundMs: 0 } }, null],
    ['that moves to the background', {}, inBackground],
    ['that is killed at its timeout', { onTimeout: 'kill' }, timeout],
    ['that is waited for', { onTimeout: 'wait' }, execution],
    ['that is waited for without one', { onTimeout: 'wait', limits: { ...limits, maxExecutionMs: 0 } }, null],
    ['without a timeout', { limits: { ...limits, timeoutMs: 0 } }, execution],
    [
      'whose execution ends first',
      { limits: { ...limits, maxExecutionMs: 9 } },
      { ...execution, afterMs: 9 },
    ],
    [
      'whose execution ends at its timeout',
      { onTimeout: 'kill', limits: { ...limits, maxExecutionMs: 10 } },
      timeout,
    ],
    [
      'without a limit of its execution',
      { onTimeout: 'kill', limits: { ...limits, maxExecutionMs: 0 } },
      timeout,
    ],
  ])('is that of a process %s', (_, more, limit) => {
    expect(endOf(more)).toEqual(limit);
  });
});

const item = (
  id: string,
  kind: MailboxItem['kind'] = 'message',
  attention: MailboxItem['attention'] = 'turn',
) => ({ id, kind, attention }) as const;
const conversationLimits = {
  ...{ maxSteps: 9, maxRetries: 3, maxNoticeRetries: 1, maxCompactions: 1 },
  ...{ minBackoffMs: 100, maxBackoffMs: 1_000, maxNoticeBackoffMs: 300 },
};

/** Context of a conversation with these entries. */
const talk = (mailbox: readonly MailboxItem[], more: Partial<ConversationContext> = {}) => ({
  ...createConversationContext({ limits: conversationLimits, mailbox, isUnfinished: false }),
  ...more,
});

describe('a delivery', () => {
  test.each([
    ['nothing waits', talk([]), false, false],
    ['a message waits', talk([item('a')]), true, true],
    ['a notice waits that wakes', talk([item('a', 'notice')]), true, false],
    ['a notice waits that does not wake', talk([item('a', 'notice', 'context')]), false, false],
    ['a turn is unfinished', talk([], { isUnfinished: true }), true, false],
  ])('is due or not where %s', (_, context, wakes, hasMessage) => {
    expect([hasReasonToWake(context), hasPendingMessage(context)]).toEqual([wakes, hasMessage]);
  });

  test('takes three messages, and all notices behind them', () => {
    const mailbox = [
      item('n1', 'notice'),
      item('m1'),
      item('m2'),
      item('n2', 'notice'),
      item('m3'),
      item('m4'),
    ];

    expect(nextDelivery(talk(mailbox))).toEqual(['m1', 'm2', 'm3', 'n1', 'n2']);
  });

  test.each([
    [4, ['m', 'n']],
    [5, ['m']],
  ])('has no notices after the fifth time in a turn: %i', (noticeDeliveries, ids) => {
    expect(nextDelivery(talk([item('n', 'notice'), item('m')], { noticeDeliveries }))).toEqual(ids);
  });

  test.each([
    [['m'], { noticeDeliveries: 2, hasUserMessage: true, failures: 0 }],
    [['n'], { noticeDeliveries: 3, hasUserMessage: false, failures: 2 }],
    [['m', 'n'], { noticeDeliveries: 3, hasUserMessage: true, failures: 0 }],
    [[], { noticeDeliveries: 2, hasUserMessage: false, failures: 2 }],
  ])('takes %j out of the mailbox', (ids, facts) => {
    const mailbox = [item('m'), item('n', 'notice'), item('x')];
    const context = talk(mailbox, { noticeDeliveries: 2, failures: 2 });

    expect(removeDelivered(context, ids)).toEqual({
      mailbox: mailbox.filter(({ id }) => !ids.includes(id)),
      ...facts,
    });
  });

  test('keeps the count of failures at a second message', () => {
    const context = talk([item('m')], { failures: 2, hasUserMessage: true });

    expect(removeDelivered(context, ['m'])).toMatchObject({ failures: 2, hasUserMessage: true });
  });
});

describe('a failed model call', () => {
  test.each([
    [{ hasUserMessage: true, failures: 2 }, true],
    [{ hasUserMessage: true, failures: 3 }, false],
    [{ hasUserMessage: true, failures: 2, ending: 'now' }, true],
    [{ failures: 0 }, true],
    [{ failures: 1 }, false],
    [{ failures: 0, ending: 'now' }, false],
    [{ failures: 0, ending: 'withProcesses' }, true],
  ] as const)('with %j is retried: %s', (more, isRetried) => {
    expect(isWorthRetrying(talk([], more))).toBe(isRetried);
  });

  test.each([
    [{ hasUserMessage: true, failures: 0 }, 100],
    [{ hasUserMessage: true, failures: 1 }, 100],
    [{ hasUserMessage: true, failures: 2 }, 200],
    [{ hasUserMessage: true, failures: 5 }, 1_000],
    [{ failures: 3 }, 300],
    [{ failures: 1, retryAfterMs: 5_000 }, 5_000],
    [{ failures: 2, retryAfterMs: 50 }, 200],
  ])('with %j is retried after %i ms', (more, pauseMs) => {
    expect(toBackoffMs(talk([], more))).toBe(pauseMs);
  });
});

const supervisor =
  'this chart needs a supervisor, which performs its effects. To run a process in a machine of your own, invoke ' +
  'processLogic(supervisor) of troupe/xstate; to drive the chart yourself, give it effects with .provide().';

test('a missing effect says what a chart needs', () => {
  expect(() => notProvided('armDeadline')).toThrow(
    `The effect "armDeadline" was not provided: ${supervisor}`,
  );
});

test('the input of another actor is refused', () => {
  expect(() => createProcessContext(undefined as never)).toThrow(
    `The input of processMachine is not a description with "limits": ${supervisor}`,
  );
  expect(() => createProcessContext({} as never)).toThrow('is not a description with "limits"');
});

test('five statuses are final', () => {
  expect(finalStatuses).toEqual(['completed', 'failed', 'killed', 'timed_out', 'lost']);
  expect(finalStatuses.every(isFinal)).toBe(true);
  expect((['pending', 'running', 'backgrounded', 'stopping', 'restarting'] as const).some(isFinal)).toBe(
    false,
  );
});
