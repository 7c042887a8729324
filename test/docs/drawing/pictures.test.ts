import { describe, expect, test } from 'vitest';
import { toOverview } from '../../../docs/statecharts/drawing/overview.ts';
import { toPart } from '../../../docs/statecharts/drawing/part.ts';
import { toDiagram } from '../../../src/cli/verbs/graph/list-machines.ts';
import { toMermaid } from '../../../src/cli/verbs/graph/to-mermaid.ts';
import { toSvg } from '../../../src/cli/verbs/graph/to-svg.ts';
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

describe('an SVG picture', () => {
  test('shows every state, guard and step', async () => {
    const svg = await toSvg(door);

    for (const { name, description } of door.states.slice(1)) {
      expect(svg).toContain(`>${name}<`);
      for (const word of description.split(' ')) expect(svg).toContain(toMarkup(word));
    }
    expect(svg).toContain('>ring front<');
    expect(svg).toContain('>[isOiled]<');
  });

  test('is the same bytes each time', async () => {
    const first = await toSvg(door);

    const second = await toSvg(toDiagram(doorMachine));

    expect(second).toBe(first);
  });
});

describe('an overview', () => {
  test('folds compound states and keeps what leaves them', () => {
    const { states, transitions } = toOverview(door);

    expect(states.map(({ id }) => id)).toEqual(['', 'shut', 'open', 'broken']);
    expect(states[1]?.kind).toBe('folded');
    expect(transitions.filter(({ source }) => source === 'shut')).toMatchObject([
      { target: 'open', event: 'push', guard: 'isOiled', actions: [] },
    ]);
  });
});

describe('a part', () => {
  test('shows its inside and its neighbours', () => {
    const { states, transitions } = toPart(door, 'shut');

    expect(states.map(({ id, kind }) => [id, kind])).toEqual([
      ['', 'compound'],
      ['shut', 'compound'],
      ['shut.closed', 'atomic'],
      ['shut.bolted', 'atomic'],
      ['open', 'elsewhere'],
    ]);
    expect(transitions.map(({ event }) => event)).toEqual(['lock', 'push', 'push']);
  });

  test('a picture of an unknown state is refused by name', () => {
    expect(() => toPart(door, 'ajar')).toThrow('id must be a state of "door", got "ajar"');
  });
});

function toMarkup(word: string): string {
  return word.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
