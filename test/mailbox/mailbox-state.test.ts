import { expect, test } from 'vitest';
import type { MailboxEntry } from '../../src/mailbox/mailbox-entry.ts';
import {
  applyMailboxChange,
  createMailboxState,
  findDisplaced,
  findReminded,
  isKnown,
  isWithdrawn,
} from '../../src/mailbox/mailbox-state.ts';
import type { NoticePart } from '../../src/mailbox/notice-part.ts';

const notice = (
  id: string,
  part: Partial<NoticePart> & { readonly type: NoticePart['type'] },
): MailboxEntry => ({
  ...{ kind: 'notice', id, attention: 'turn', part: part as NoticePart },
});
const due = (id: string, scheduleId: string, more: object = {}) =>
  notice(id, { type: 'due', scheduleId, missed: 0, processId: null, ...more } as never);
const matched = (id: string, process: string, matches: number) =>
  notice(id, { type: 'matched', id: process, matches } as never);
const message = (id: string): MailboxEntry => ({ kind: 'message', id, attention: 'turn', text: 'Hello.' });

function stateOf(...entries: readonly MailboxEntry[]) {
  const state = createMailboxState();
  for (const entry of entries) applyMailboxChange(state, { type: 'arrived', entry });
  return state;
}

const idsOf = ({ waiting }: ReturnType<typeof createMailboxState>) => [...waiting.keys()];

test('an entry is known from its arrival on, also when it has left', () => {
  const state = stateOf(message('m1'));

  applyMailboxChange(state, { type: 'settled', ids: ['m1', 'm2'] });

  expect(['m1', 'm2', 'm3'].map((id) => isKnown(state, id))).toEqual([true, true, false]);
  expect(idsOf(state)).toEqual([]);
});

test('a settled entry does not arrive', () => {
  const state = createMailboxState();
  applyMailboxChange(state, { type: 'withdrawn', ids: ['m1'] });

  applyMailboxChange(state, { type: 'arrived', entry: message('m1') });

  expect(idsOf(state)).toEqual([]);
});

test('an entry that arrives again keeps its place, and displaces none', () => {
  const state = stateOf(due('n1', 's1'), message('m1'));

  applyMailboxChange(state, { type: 'arrived', entry: due('n1', 's1', { message: 'new' }) });

  expect(idsOf(state)).toEqual(['n1', 'm1']);
});

test('only a delivery forgets how many were dropped', () => {
  const state = stateOf(...Array.from({ length: 1_002 }, (_, index) => matched(`n${index}`, `p${index}`, 1)));

  const dropped = [state.dropped];
  applyMailboxChange(state, { type: 'withdrawn', ids: ['n5'] });
  applyMailboxChange(state, { type: 'settled', ids: [] });
  dropped.push(state.dropped);
  applyMailboxChange(state, { type: 'settled', ids: ['n6'] });
  dropped.push(state.dropped);

  expect(dropped).toEqual([2, 2, 0]);
});

test('a reminder replaces the earlier one of its schedule, and counts it', () => {
  const state = stateOf(due('n1', 's1', { missed: 2 }), due('n2', 's2'), due('n3', 's1', { missed: 1 }));

  expect([...state.waiting.values()]).toEqual([due('n2', 's2'), due('n3', 's1', { missed: 4 })]);
  expect([state.settled.has('n1'), state.dropped]).toEqual([true, 0]);
});

test.for([
  ['silent', true],
  ['elapsed', true],
  ['quiet', true],
  ['matched', false],
  ['unwatched', false],
] as const)('the end of a process replaces its notice %s: %s', ([type, isReplaced]) => {
  const of = (id: string, process: string) => notice(id, { type, id: process } as never);

  const state = stateOf(of('n1', 'a'), of('n2', 'b'), notice('e', { type: 'ended', id: 'a' } as never));

  expect(idsOf(state)).toEqual(isReplaced ? ['n2', 'e'] : ['n1', 'n2', 'e']);
  expect(state.dropped).toBe(0);
});

test('other notices replace nothing', () => {
  const state = stateOf(notice('n1', { type: 'quiet', id: 'a' } as never), matched('n2', 'a', 1));

  expect(idsOf(state)).toEqual(['n1', 'n2']);
});

test('the 1001st notice displaces the oldest of its kind, and no message', () => {
  const reminders = Array.from({ length: 400 }, (_, index) => due(`d${index}`, `s${index}`));
  const matches = Array.from({ length: 599 }, (_, index) => matched(`n${index}`, `p${index}`, 1));
  const state = stateOf(message('m1'), ...reminders, ...matches);

  expect(state.waiting.size).toBe(1_000);
  expect(findDisplaced(state, message('m2'))).toEqual([]);
  expect(findDisplaced(state, notice('t', { type: 'told' }))).toEqual([]);
  expect(findDisplaced(state, matched('n', 'p', 1))).toEqual([]);
});

test('matches of a process that are dropped are counted in its next ones', () => {
  const entries = Array.from({ length: 1_000 }, (_, index) =>
    matched(`n${index}`, index < 2 ? 'a' : `p${index}`, 3),
  );
  const state = stateOf(...entries);

  expect(findDisplaced(state, matched('new', 'b', 1))).toEqual([{ id: 'n0', into: 'n1' }]);
  applyMailboxChange(state, { type: 'arrived', entry: matched('new', 'b', 1) });

  expect(state.waiting.get('n1')).toEqual(matched('n1', 'a', 6));
  expect([state.waiting.size, state.dropped]).toEqual([1_000, 0]);
  expect(findDisplaced(state, matched('last', 'a', 1))).toEqual([{ id: 'n1', into: 'last' }]);
  applyMailboxChange(state, { type: 'arrived', entry: matched('last', 'a', 1) });

  expect(state.waiting.get('last')).toEqual(matched('last', 'a', 7));
});

test('the oldest settled ids are forgotten beyond 100 000', () => {
  const state = createMailboxState();
  const ids = Array.from({ length: 100_001 }, (_, index) => `n${index}`);

  applyMailboxChange(state, { type: 'settled', ids });

  expect([state.settled.size, state.settled.has('n0'), state.settled.has('n1')]).toEqual([
    100_000,
    false,
    true,
  ]);
});

test.for([
  [due('n', 's1', { processId: 'p1' }), { of: 'schedule', id: 's1' }, true],
  [due('n', 's1', { processId: 'p1' }), { of: 'schedule', id: 'p1' }, false],
  [due('n', 's1', { processId: 'p1' }), { of: 'process', id: 'p1' }, true],
  [due('n', 's1', { processId: 'p1' }), { of: 'process', id: 's1' }, false],
  [matched('n', 'p1', 1), { of: 'process', id: 'p1' }, false],
  [message('p1'), { of: 'process', id: 'p1' }, false],
] as const)('the entry %j is withdrawn with %j: %s', ([entry, withdrawal, expected]) => {
  expect(isWithdrawn(entry, withdrawal)).toBe(expected);
});

test('the processes of reminders that wait are known', () => {
  const state = stateOf(
    due('n1', 's1', { processId: 'p1' }),
    due('n2', 's2'),
    matched('n3', 'p3', 1),
    message('m'),
  );

  expect([...findReminded(state)]).toEqual(['p1']);
});
