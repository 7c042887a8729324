import { expect, test } from 'vitest';
import { drawInside, drawMachine, drawProcess, listNext } from '../../../src/inspector/page/charts.ts';
import { isLit, isPossible, isWalked } from '../../../src/inspector/page/light.ts';
import { scene } from './scene.ts';

test.each([
  ['open', ['open'], true],
  ['open', ['open.wide'], true],
  ['open', ['opening'], false],
  ['open.wide', ['open'], false],
  ['closed', ['open', 'closed'], true],
  ['', ['open'], false],
  ['open', [], false],
])('the state "%s" is lit among %j: %s', (state, active, expected) => {
  expect(isLit(state, active)).toBe(expected);
});

test.each([
  ['a -> b', ['a -> b'], true],
  ['a -> c, a -> b', ['x -> y', 'a -> b'], true],
  ['a -> b', ['b -> a'], false],
  ['a -> b', [], false],
])('the arrow %s is walked after %j: %s', (stands, walked, expected) => {
  expect(isWalked(stands, walked)).toBe(expected);
});

test.each([
  ['a -> b', ['a'], true],
  ['a -> b', ['a.inner'], true],
  ['x -> y, a -> b', ['a'], true],
  ['a.inner -> b', ['a'], false],
  ['a -> b', ['b'], false],
  [' -> b', ['a'], true],
])('the arrow %s is possible in %j: %s', (stands, active, expected) => {
  expect(isPossible(stands, active)).toBe(expected);
});

test('an ended process has no next transition and no inside', () => {
  expect(listNext('completed')).toEqual([]);
  expect(drawInside('completed')).toBeNull();
});

test('the next transitions lead out of a state, or stay in it without a target', () => {
  const next = listNext('running');

  expect(next.map(({ target }) => target)).toContain('stopping');
  expect(next.some(({ target }) => target?.startsWith('running') === true)).toBe(false);
  expect(next.some(({ target }) => target === null)).toBe(true);
  expect(next.every(({ from, source }) => source === (from === '' ? 'running' : `running.${from}`))).toBe(
    true,
  );
  expect(new Set(next.map(({ key }) => key)).size).toBe(next.length);
});

test('a drawing is made once', () => {
  const door = scene.machines?.['m1']?.chart;
  if (door === undefined) throw new Error('The scene has no machine.');

  expect(drawProcess()).toMatch(/^<svg/);
  expect(drawProcess()).toBe(drawProcess());
  expect(drawInside('running')).toContain('data-state="running.up"');
  expect(drawInside('running')).not.toBe(drawProcess());
  expect(drawMachine(door)).toContain('data-state="open"');
});
