import { describe, expect, test } from 'vitest';
import { childrenOf, isWithin } from '../../../src/charts/diagram.ts';
import { drawChart } from '../../../src/charts/draw-chart.ts';
import { foldChart } from '../../../src/charts/fold-chart.ts';
import { type Box, layOutChart } from '../../../src/charts/lay-out-chart.ts';
import { listMachines } from '../../../src/charts/list-machines.ts';
import { toDiagram } from '../../../src/charts/to-diagram.ts';
import { toPart } from '../../../src/charts/to-part.ts';
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

const overlaps = (a: Box, b: Box) =>
  a.x < b.x + b.width - 1 && b.x < a.x + a.width - 1 && a.y < b.y + b.height - 1 && b.y < a.y + a.height - 1;

/** Each machine whole, folded, and each of its compound states as a picture of its own. */
const charts = listMachines().flatMap((diagram) => [
  diagram,
  { ...foldChart(diagram), name: `${diagram.name}, folded` },
  ...diagram.states
    .filter(({ id }) => id !== '' && childrenOf(diagram, id).length > 0)
    .map(({ id }) => toPart(diagram, id)),
]);

describe('an SVG picture', () => {
  test.each(charts.map((chart) => [chart.name, chart] as const))(
    'of %s has no overlapping texts or boxes',
    (_, chart) => {
      const { states, arrows, width, height } = layOutChart(chart);

      for (const [index, one] of states.entries()) {
        expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height).toBe(
          true,
        );
        for (const other of states.slice(index + 1)) {
          const isNested = isWithin(other.state.id, one.state.id);
          expect([one.state.id, other.state.id, !isNested && overlaps(one, other)]).toEqual([
            one.state.id,
            other.state.id,
            false,
          ]);
        }
      }
      const leaves = states.filter(({ state }) => childrenOf(chart, state.id).length === 0);
      for (const [index, { label, source, target }] of arrows.entries()) {
        const hidden = [
          ...leaves.filter((state) => overlaps(label, state)).map(({ state }) => state.id),
          ...arrows
            .slice(index + 1)
            .filter((other) => overlaps(label, other.label))
            .map((other) => `${other.source} → ${other.target}`),
        ];
        expect([source, target, hidden]).toEqual([source, target, []]);
      }
    },
  );

  test.each(charts.map((chart) => [chart.name, chart] as const))(
    'of %s shows every state and every transition',
    (_, chart) => {
      const svg = drawChart(layOutChart(chart));

      for (const { id } of chart.states) if (id !== '') expect(svg).toContain(`data-state="${id}"`);
      for (const { source, event, guard, target, actions } of chart.transitions) {
        const head = `${source || 'anywhere'}: ${event ?? 'at once'}${guard === null ? '' : ` [${guard}]`}`;
        const effects = actions.length === 0 ? '' : ` / ${actions.join(', ')}`;
        expect(svg).toContain(toMarkup(`${head}${target === null ? '' : ` → ${target}`}${effects}`));
      }
    },
  );

  test('is the same bytes each time', () => {
    expect(drawChart(layOutChart(toDiagram(doorMachine)))).toBe(drawChart(layOutChart(door)));
  });

  test('escapes the names of a machine of the user', () => {
    const [root, ...states] = door.states;
    const hostile = states.map((state) => ({
      ...state,
      name: '<script>alert(1)</script>',
      description: '"><img>',
    }));
    const svg = drawChart(
      layOutChart({ ...door, states: root === undefined ? hostile : [root, ...hostile] }),
    );

    expect(svg).not.toMatch(/<script|<img/);
  });
});

describe('an overview', () => {
  test('folds compound states and keeps what leaves them', () => {
    const { states, transitions } = foldChart(door);

    expect(states.map(({ id }) => id)).toEqual(['', 'shut', 'open', 'broken']);
    expect(states[1]?.kind).toBe('folded');
    expect(transitions.filter(({ source }) => source === 'shut')).toMatchObject([
      { target: 'open', event: 'push', guard: 'isOiled', actions: [] },
    ]);
  });
});

describe('a part', () => {
  test('shows its inside, and names what is outside', () => {
    const part = toPart(door, 'shut');

    expect(part.states.map(({ id, kind }) => [id, kind])).toEqual([
      ['', 'compound'],
      ['shut', 'compound'],
      ['shut.closed', 'atomic'],
      ['shut.bolted', 'atomic'],
    ]);
    const { states } = layOutChart(part);
    const closed = states.find(({ state }) => state.id === 'shut.closed');
    expect(closed?.lines.map(({ text }) => text)).toContain('push [isOiled] ⇒ open');
  });

  test('a picture of an unknown state is refused by name', () => {
    expect(() => toPart(door, 'ajar')).toThrow('id must be a state of "door", got "ajar"');
  });
});

function toMarkup(word: string): string {
  return word
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
