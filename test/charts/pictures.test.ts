import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Diagram } from '../../src/charts/diagram.ts';
import { drawChart } from '../../src/charts/draw-chart.ts';
import { layOutChart } from '../../src/charts/lay-out-chart.ts';
import { drawLife, renderLife } from '../../src/charts/life-chart.ts';
import { listMachines } from '../../src/charts/list-machines.ts';

const folder = join(import.meta.dirname, '../../docs/statecharts');
const pictureOf = (name: string) => readFileSync(join(folder, name), 'utf8');
const machines = listMachines();
const life = machines.find(({ name }) => name === 'process') as Diagram;

test('all machines are drawn', () => {
  expect(machines.map(({ name }) => name).sort()).toEqual(['conversation', 'process', 'supervisor', 'watch']);
});

test.each(machines)('$name looks as in the documentation', (diagram) => {
  // Not `toBe`: a difference would be printed for minutes.
  expect(drawChart(layOutChart(diagram)) === pictureOf(`${diagram.name}.svg`)).toBe(true);
});

test('the life of a process looks as in the documentation, light and dark', () => {
  const pictures = renderLife(life);

  expect([...pictures.keys()]).toEqual(['life.svg', 'life.dark.svg']);
  for (const [name, svg] of pictures) expect(svg === pictureOf(name), name).toBe(true);
});

test('the life of a process has the colours of the page around it', () => {
  const [light = ''] = renderLife(life).values();
  const onPage = drawLife(life);
  const withoutColours = (svg: string) => svg.replaceAll(/(fill|stroke)="[^"]*"/g, '$1');

  expect(withoutColours(onPage)).toBe(withoutColours(light));
  expect([...new Set(onPage.match(/var\([^)]*\)/g))].sort()).toEqual([
    'var(--bg)',
    'var(--chart-line)',
    'var(--completed)',
    'var(--failed)',
    'var(--ink)',
    'var(--killed)',
    'var(--panel)',
    'var(--soft)',
  ]);
});

test('a life that the picture does not show is refused', () => {
  const [first, ...others] = life.transitions;
  const extra = { ...first, id: 'x', source: 'completed', target: 'running' } as (typeof others)[number];
  const without = life.transitions.filter(({ target }) => target === null || !target.startsWith('lost'));

  expect(() => renderLife({ ...life, transitions: [...life.transitions, extra] })).toThrow(
    'src/charts/life-chart.ts and the chart differ in: completed -> running',
  );
  expect(() => renderLife({ ...life, transitions: without })).toThrow(
    'src/charts/life-chart.ts and the chart differ in:  -> lost, stopping -> lost',
  );
  expect(() => renderLife({ ...life, states: life.states.filter(({ id }) => id !== 'killed') })).toThrow(
    'src/charts/life-chart.ts and the chart differ in: killed',
  );
});
