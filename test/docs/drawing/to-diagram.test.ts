import { describe, expect, test } from 'vitest';
import { toDiagram } from '../../../src/charts/to-diagram.ts';
import { doorMachine } from './door.ts';

describe('a diagram of a machine', () => {
  const { states, transitions } = toDiagram(doorMachine);
  const between = (source: string, target: string | null) =>
    transitions.filter((transition) => transition.source === source && transition.target === target);

  test('holds every state under its path', () => {
    const ids = states.map(({ id }) => id);

    expect(ids).toEqual(['', 'shut', 'shut.closed', 'shut.bolted', 'open', 'broken']);
    expect(states.find(({ id }) => id === 'shut')).toMatchObject({
      kind: 'compound',
      initial: 'shut.closed',
    });
    expect(states.find(({ id }) => id === 'broken')).toMatchObject({ kind: 'final', parent: '' });
  });

  test('holds transitions that need no event', () => {
    const [always, ...others] = between('open', 'shut');

    expect(others).toEqual([]);
    expect(always).toMatchObject({ event: null, guard: '(isLate and not isOiled)' });
  });

  test('calls the last of several choices else', () => {
    const [first] = between('shut.closed', 'open');
    const [last] = between('shut.closed', null);

    expect(first).toMatchObject({ event: 'push', guard: 'isOiled', actions: ['greet'] });
    expect(last).toMatchObject({ event: 'push', guard: 'else', actions: ['count'] });
  });

  test('names an action with the word in its parameters', () => {
    const bolted = states.find(({ id }) => id === 'shut.bolted');

    expect(bolted?.entry).toEqual(['ring front']);
  });

  test('keeps transitions of the machine as a whole', () => {
    expect(between('', 'broken')).toMatchObject([{ event: 'break' }]);
    expect(between('', null)).toMatchObject([{ event: 'knock', actions: ['count'] }]);
  });
});
