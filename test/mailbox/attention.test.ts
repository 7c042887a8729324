import { expect, test } from 'vitest';
import type { FinalView } from '../../src/index.ts';
import { type Attention, toAttention } from '../../src/mailbox/attention.ts';
import { endedView } from '../support/views.ts';

const killedBy = (by: 'agent' | 'user' | 'owner' | 'supervisor' | 'outside'): FinalView =>
  endedView({
    status: 'killed',
    reason: { type: 'killed', by, signal: 'SIGTERM', escalated: false },
  } as unknown as Partial<FinalView>);

test.for([
  ['its natural end', endedView(), 'turn'],
  ['a failure', endedView({ status: 'failed' }), 'turn'],
  ['a loss', endedView({ status: 'lost', reason: { type: 'lost', why: 'gone' } } as never), 'turn'],
  ['a kill by the user', killedBy('user'), 'turn'],
  ['a kill by its owner', killedBy('owner'), 'context'],
  ['a kill by the supervisor', killedBy('supervisor'), 'context'],
] as const)('%s has the attention it deserves', ([, view, expected]) => {
  expect(toAttention(view, { inTurn: true, rule: undefined })).toBe(expected);
});

test('a kill by the agent matters in another turn', () => {
  const view = killedBy('agent');

  expect(toAttention(view, { inTurn: true, rule: undefined })).toBe('context');
  expect(toAttention(view, { inTurn: false, rule: undefined })).toBe('turn');
});

test.for(['failed', 'timed_out', 'lost'] as const)('%s is never muted', (status) => {
  const view = endedView({ status });

  expect(toAttention(view, { inTurn: false, rule: () => 'ignore' })).toBe('context');
});

test('a success can be muted', () => {
  expect(toAttention(endedView(), { inTurn: false, rule: () => 'ignore' })).toBe('ignore');
});

test('a rule that throws loses no end', () => {
  const rule = (): Attention => {
    throw new Error('a mistake');
  };

  expect(toAttention(endedView(), { inTurn: false, rule })).toBe('turn');
});
