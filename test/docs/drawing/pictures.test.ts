import { describe, expect, test } from 'vitest';
import { toPart } from '../../../src/charts/diagram.ts';
import { layOutChart } from '../../../src/charts/lay-out-chart.ts';
import { toDiagram } from '../../../src/charts/to-diagram.ts';
import { toMermaid } from '../../../src/cli/verbs/graph/to-mermaid.ts';
import { doorMachine } from './door.ts';

const door = toDiagram(doorMachine);

describe('a Mermaid picture', () => {
  test('shows states, transitions and ends', () => {
    const lines = toMermaid(door).split('\n');

    expect(lines).toContain('  [*] --> shut');
    expect(lines).toContain('  state "shut" as shut {');
    expect(lines).toContain('    shut__closed : push [else] / count');
    expect(lines).toContain('  shut__closed --> open : push [isOiled] / greet');
    expect(lines).toContain('  open --> shut : [(isLate and not isOiled)]');
    expect(lines).toContain('  any_state --> broken : break');
    expect(lines).toContain('  broken --> [*]');
  });

  test('never leads from a state into its inside', () => {
    const text = toMermaid(door);

    expect(text).not.toMatch(/^\s*shut --> shut__/m);
    expect(text).toContain('any_of_shut --> shut__bolted : lock');
  });
});

describe('a part', () => {
  test('shows its inside, and names what is outside', () => {
    const part = toPart(door, 'shut');

    expect(part.states.map(({ id, kind }) => [id, kind])).toEqual([
      ['shut', 'compound'],
      ['shut.closed', 'atomic'],
      ['shut.bolted', 'atomic'],
    ]);
    const closed = layOutChart(part).boxes.find(({ state }) => state.id === 'shut.closed');
    const lines = closed?.lines.map(({ spans }) => spans.map(({ text }) => text).join(''));
    expect(lines).toContain('on push [isOiled] / greet ⇒ open');
  });

  test('a picture of an unknown state is refused by name', () => {
    expect(() => toPart(door, 'ajar')).toThrow('id must be a state of "door", got "ajar"');
  });
});
