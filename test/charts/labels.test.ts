import { describe, expect, test } from 'vitest';
import { and, not, or } from 'xstate';
import { toStateLines, toTransitionLines } from '../../src/charts/chart-text.ts';
import {
  childrenOf,
  hasAnywhere,
  innerTransitionsOf,
  isFromAnywhere,
  isWithin,
  toPart,
} from '../../src/charts/diagram.ts';
import { createProbe, toActionLabel, toEventLabel, toGuardLabel } from '../../src/charts/labels.ts';
import { measureText, wrapText } from '../../src/charts/measure-text.ts';
import { toDiagram } from '../../src/charts/to-diagram.ts';
import { doorMachine } from '../docs/drawing/door.ts';

const door = toDiagram(doorMachine);

test.each([
  ['push', 'push'],
  ['xstate.done.actor.runner', 'runner is done'],
  ['xstate.error.actor.my.runner', 'my.runner broke'],
  ['xstate.done.state.door.shut', 'door.shut is done'],
  ['xstate.after.250.door.open', 'after 250 ms'],
  ['xstate.after.grace.door.open', 'after grace.door'],
  ['xstate.init', 'xstate.init'],
])('the event %s is labelled "%s"', (type, label) => {
  expect(toEventLabel(type)).toBe(label);
});

function named() {}

test.each<[unknown, string]>([
  ['ring', 'ring'],
  [{ type: 'ring' }, 'ring'],
  [{ type: 'xstate.assign' }, 'assign'],
  [{ type: 'ring', params: { ms: 5, bell: 'front', other: 'back' } }, 'ring front'],
  [{ type: 'ring', params: { bell: '' } }, 'ring'],
  [{ type: 'ring', params: () => ({ bell: 'front' }) }, 'ring front'],
  [{ type: 'ring', params: ({ event }: { event: { type: string } }) => ({ bell: event.type }) }, 'ring push'],
  [
    {
      type: 'ring',
      params: () => {
        throw new Error('no');
      },
    },
    'ring',
  ],
  [named, 'named'],
  [Object.assign(() => {}, { type: 'xstate.raise' }), 'raise'],
  [(() => () => {})(), 'unnamed'],
])('an action is labelled by its name and its word (%#)', (action, label) => {
  expect(toActionLabel(action, 'push')).toBe(label);
});

test.each<[unknown, string | null]>([
  [undefined, null],
  ['isOiled', 'isOiled'],
  [{ type: 'isOiled' }, 'isOiled'],
  [not('isOiled'), 'not isOiled'],
  [and(['isLate', 'isOiled']), '(isLate and isOiled)'],
  [or(['isLate', not('isOiled')]), '(isLate or not isOiled)'],
])('a guard is labelled as an expression (%#)', (guard, label) => {
  expect(toGuardLabel(guard)).toBe(label);
});

test('a probe stands for any value', () => {
  const probe = createProbe({ type: 'push' }) as { type: string; a: { b(): { c: number } } };

  expect(probe.type).toBe('push');
  expect(probe.a.b().c * 2).toBe(2);
});

describe('text in a chart', () => {
  const font = { size: 10 };

  test.each([
    ['', 0],
    ['i', 2.9],
    ['ii', 5.8],
    ['a', 6.2],
    ['m', 9.9],
    ['é', 7],
    ['漢', 10.5],
  ])('is measured by its characters: "%s"', (text, width) => {
    expect(measureText(text, font)).toBeCloseTo(width);
    expect(measureText(text, { ...font, isBold: true })).toBeCloseTo(width * 1.12);
  });

  test.each([
    ['one two', 100, ['one two']],
    ['one two', 30, ['one', 'two']],
    ['aa', 12.4, ['aa']],
    ['aa', 12.3, ['a', 'a']],
    ['a a', 15.61, ['a a']],
    ['a a', 15.5, ['a', 'a']],
    ['', 10, []],
    ['aaa b', 13, ['aa', 'a', 'b']],
  ])('is broken between words where it must: "%s" in %d px', (text, maxWidth, lines) => {
    expect(wrapText(text, maxWidth, font)).toEqual(lines);
  });

  const wordsOf = (lines: readonly { spans: readonly { role: string; text: string }[] }[]) =>
    lines.map(({ spans }) => spans.map(({ role, text }) => `${role}:${text}`).join('|'));
  const transition = (source: string, target: string | null) =>
    door.transitions.find((each) => each.source === source && each.target === target) ?? ({} as never);

  test('names a state, describes it and lists the events that do not leave it', () => {
    const stateOf = (id: string) => door.states.find((state) => state.id === id) ?? ({} as never);

    expect(wordsOf(toStateLines(door, stateOf(''), 500))).toEqual([
      'name:door',
      'description:A door.',
      'event:on knock|action: / count',
    ]);
    expect(wordsOf(toStateLines(door, stateOf('shut.bolted'), 500))).toEqual([
      'name:bolted',
      'action:entry / ring front',
    ]);
    const busy = { ...stateOf('open'), invokes: ['runner'], exit: ['greet', 'count'] };
    expect(wordsOf(toStateLines(door, busy, 500))).toEqual([
      'name:open',
      'description:Everybody passes.',
      'action:invoke runner',
      'action:exit / greet, count',
    ]);
  });

  test('shows a transition as its event, its guard and its actions', () => {
    expect(wordsOf(toTransitionLines(door, transition('shut.closed', 'open'), 500))).toEqual([
      'event:push|guard: [isOiled]|action: / greet',
    ]);
    expect(wordsOf(toTransitionLines(door, transition('shut.closed', 'open'), 60))).toEqual([
      'event:push',
      'guard:[isOiled]',
      'action:/ greet',
    ]);
    expect(wordsOf(toTransitionLines(door, transition('open', 'shut'), 500))).toEqual([
      'guard:[(isLate and not isOiled)]',
    ]);
  });

  test('begins a transition in a box with on, and names a target elsewhere', () => {
    const push = transition('shut.closed', 'open');
    const own = { ...push, target: 'shut.closed' };
    const part = toPart(door, 'shut');

    expect(wordsOf(toTransitionLines(door, own, 500))).toEqual([
      'event:on push|guard: [isOiled]|action: / greet|target: ↻',
    ]);
    expect(wordsOf(toTransitionLines(part, push, 500))).toEqual([
      'event:on push|guard: [isOiled]|action: / greet|target: ⇒ open',
    ]);
    expect(toTransitionLines(door, own, 60).map(({ spaceAbove }) => spaceAbove)).toEqual([4, 0, 0]);
  });
});

describe('a diagram', () => {
  test('knows what lies in what', () => {
    expect(childrenOf(door, 'shut').map(({ id }) => id)).toEqual(['shut.closed', 'shut.bolted']);
    expect([isWithin('shut.closed', 'shut'), isWithin('shut', 'shut'), isWithin('shutter', 'shut')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(isWithin('open', '')).toBe(true);
  });

  test('knows transitions that leave nothing, or can be taken anywhere', () => {
    expect(innerTransitionsOf(door, '').map(({ event }) => event)).toEqual(['knock']);
    const anywhere = door.transitions.filter(isFromAnywhere);
    expect(anywhere.map(({ source, target }) => `${source} -> ${target}`)).toEqual([
      ' -> broken',
      'shut -> shut.bolted',
    ]);
    expect(['', 'shut', 'open'].map((id) => hasAnywhere(door, id))).toEqual([true, true, false]);
  });

  test('has parts, which are diagrams of their own', () => {
    const part = toPart(door, 'shut');

    expect(part.name).toBe('door.shut');
    expect(part.description).toBe('No one enters; "not even" <you>.');
    expect(part.states.map(({ id, parent }) => [id, parent])).toEqual([
      ['shut', null],
      ['shut.closed', 'shut'],
      ['shut.bolted', 'shut'],
    ]);
    expect(part.transitions.map(({ source }) => source)).toEqual(['shut', 'shut.closed', 'shut.closed']);
    expect(toPart(door, '')).toBe(door);
    expect(() => toPart(door, 'gate')).toThrow('id must be a state of "door", got "gate"');
  });
});
