import { expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { processMachine } from '../../machines/index.ts';
import { drawChart } from '../../src/charts/draw-chart.ts';
import { layOutChart } from '../../src/charts/lay-out-chart.ts';
import { toDiagram } from '../../src/charts/to-diagram.ts';
import { doorMachine } from '../docs/drawing/door.ts';

const door = layOutChart(toDiagram(doorMachine));

test('a drawing names each state and transition in its data', () => {
  const layout = layOutChart(toDiagram(processMachine));
  const svg = drawChart(layout);

  for (const { id } of layout.diagram.states) expect(svg).toContain(`data-state="${id}"`);
  const named = new Set(
    [...svg.matchAll(/data-transitions?="([^"]*)"/g)].flatMap(([, ids = '']) => ids.split(' ')),
  );
  expect(layout.diagram.transitions.filter(({ id }) => !named.has(id))).toEqual([]);
});

test('a drawing escapes the words of a machine', () => {
  const machine = createMachine({
    id: '<script>',
    description: '"</svg>"',
    initial: 'a"b',
    states: { 'a"b': { description: '<img onerror=1>', on: { '<b>&': 'c' } }, c: {} },
  });
  const svg = drawChart(layOutChart(toDiagram(machine)), { id: '"><x' });

  expect(svg).not.toMatch(/<script|<img|<b>|<x|&(?!amp;|lt;|gt;|quot;)/);
  expect(svg.match(/<\/svg>/g)).toHaveLength(1);
  expect(svg).toContain('&lt;img');
});

test('a drawing lights the current state and marks the way to it', () => {
  const push = door.diagram.transitions.find(
    ({ source, target }) => source === 'shut.closed' && target === 'open',
  );
  const svg = drawChart(door, { lit: ['open'], walked: ['shut.closed', push?.id ?? ''] });

  expect(svg).toMatch(/<g class="state atomic odd lit" data-state="open">/);
  expect(svg).toMatch(/<g class="state atomic even walked" data-state="shut.closed">/);
  expect(svg).toContain(
    `<g class="label walked" data-transitions="${push?.id}" data-stands="shut.closed -&gt; open">`,
  );
  expect(drawChart(door)).not.toMatch(/class="[^"]*(lit|walked)"/);
});

test('a drawing without a style sheet has no inline style', () => {
  expect(drawChart(door)).toContain('<style>');
  expect(drawChart(door, { withStyle: false })).not.toMatch(/style/);
});

test('no text of a drawing is below 11 px', () => {
  const sizes = [...drawChart(door).matchAll(/font-size:([\d.]+)px/g)].map(([, size]) => Number(size));

  expect(sizes.length).toBeGreaterThan(0);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(11);
});

test('a text belongs to a transition or to none', () => {
  const texts = [...drawChart(door).matchAll(/<text ([^>]*)>/g)].map(([, attributes = '']) => attributes);
  const place = 'x="-?[\\d.]+" y="-?[\\d.]+"';
  const transition = ' class="transition[^"]*" data-transition="[^"]+"';

  expect(texts.some((text) => new RegExp(`^${place}$`).test(text))).toBe(true);
  expect(texts.filter((text) => !new RegExp(`^${place}(${transition})?$`).test(text))).toEqual([]);
});
