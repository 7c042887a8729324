import { describe, expect, test } from 'vitest';
import {
  conversationMachine,
  processMachine,
  supervisorMachine,
  watchMachine,
} from '../../machines/index.ts';
import type { ChartLayout } from '../../src/charts/chart-layout.ts';
import { childrenOf, toPart } from '../../src/charts/diagram.ts';
import { layOutChart } from '../../src/charts/lay-out-chart.ts';
import { toDiagram } from '../../src/charts/to-diagram.ts';
import { doorMachine } from '../docs/drawing/door.ts';

/** Each machine, and each of its states with children as a picture of its own. */
const charts = [processMachine, conversationMachine, supervisorMachine, watchMachine, doorMachine]
  .map(toDiagram)
  .flatMap((diagram) => [
    diagram,
    ...diagram.states
      .filter(({ id }) => id !== '' && childrenOf(diagram, id).length > 0)
      .map(({ id }) => toPart(diagram, id)),
  ])
  .map((diagram) => ({ name: diagram.name, layout: layOutChart(diagram) }));

describe.each(charts)('the layout of $name', ({ layout }) => {
  test('is no wider than a column of a README', () => {
    expect(layout.width).toBeLessThanOrEqual(830);
  });

  test('keeps every state inside its parent and apart from all others', () => {
    const overlaps = pairsOf(layout.boxes)
      .filter(([a, b]) => (isAncestor(a.state.id, b.state.id) ? !isInside(b, a) : overlap(a, b)))
      .map(([a, b]) => `${a.state.id} and ${b.state.id}`);

    expect(overlaps).toEqual([]);
  });

  test('keeps labels apart from each other and from states', () => {
    const { labels, boxes } = layout;
    const labelled = pairsOf(labels).filter(([a, b]) => overlap(a, b));
    const covered = labels.flatMap((label) =>
      boxes.filter((box) => overlap(label, box) && !isInside(label, box)).map((box) => [label, box]),
    );
    const onLeaves = labels.flatMap((label) =>
      boxes.filter((box) => box.ruleY === null && overlap(label, box)).map((box) => [label, box]),
    );

    expect({ labelled, covered, onLeaves }).toEqual({ labelled: [], covered: [], onLeaves: [] });
  });

  test('keeps labels below the text of the state around them', () => {
    const onText = layout.labels.flatMap((label) =>
      layout.boxes.filter(
        ({ x, y, width, ruleY }) => ruleY !== null && overlap(label, { x, y, width, height: ruleY }),
      ),
    );

    expect(onText).toEqual([]);
  });

  test('keeps lines out of states without children, and of labels', () => {
    const solid = [...layout.labels, ...layout.boxes.filter(({ ruleY }) => ruleY === null)];
    const crossed = layout.arrows.flatMap(({ transitions, lines }) =>
      lines.flatMap((points) =>
        uprightsOf(points).flatMap((line) =>
          solid.filter((box) => overlap(line, shrink(box))).map(() => transitions),
        ),
      ),
    );

    expect(crossed).toEqual([]);
  });

  test('keeps text inside its box', () => {
    const outside = layout.boxes.filter(
      ({ width, textX, lines }) => Math.max(...lines.map((line) => line.width)) > width - textX,
    );

    expect(outside).toEqual([]);
  });

  test('shows every transition in words and by an arrow', () => {
    const { diagram, arrows, labels, boxes } = layout;
    const written = new Set(
      [...labels, ...boxes].flatMap(({ lines }) => lines.map((line) => line.transition)),
    );
    const headed = new Set(arrows.filter(({ hasHead }) => hasHead).flatMap(({ transitions }) => transitions));
    const missing = diagram.transitions.filter(({ id, source, target, event, guard, actions }) => {
      const hasWords = event !== null || guard !== null || actions.length > 0;
      const needsArrow =
        target !== null && target !== source && diagram.states.some((state) => state.id === target);
      return (hasWords && !written.has(id)) || (needsArrow && !headed.has(id));
    });

    expect(missing).toEqual([]);
  });

  test('begins every arrow at its source and ends it at its target', () => {
    const boxes = new Map(layout.boxes.map((box) => [box.state.id, box]));
    const touches = (state: string, points: readonly Point[]) => {
      const box = boxes.get(state);
      return box !== undefined && points.some((point) => isOnBorder(point, box));
    };
    const wrong = layout.diagram.transitions.filter(({ id, source, target }) => {
      if (target === null || target === source || !boxes.has(target)) return false;
      const pieces = layout.arrows.filter(({ transitions }) => transitions.includes(id));
      const starts = pieces.flatMap(({ lines }) => lines[0]?.slice(0, 1) ?? []);
      const ends = pieces
        .filter(({ hasHead }) => hasHead)
        .flatMap(({ lines }) => lines.at(-1)?.slice(-1) ?? []);
      return !touches(source, starts) || !touches(target, ends);
    });

    expect(wrong).toEqual([]);
  });
});

test('the same machine always has the same layout', () => {
  const [first, second] = [toDiagram(doorMachine), toDiagram(doorMachine)].map((each) => layOutChart(each));

  expect(second).toEqual(first);
});

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function pairsOf<T>(all: readonly T[]): readonly (readonly [T, T])[] {
  return all.flatMap((a, index) => all.slice(index + 1).map((b) => [a, b] as const));
}

function isAncestor(outer: string, inner: string): boolean {
  return outer === '' || inner.startsWith(`${outer}.`);
}

function overlap(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function isInside(inner: Rect, outer: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

function shrink({ x, y, width, height }: Rect): Rect {
  return { x: x + 1, y: y + 1, width: width - 2, height: height - 2 };
}

type Point = { readonly x: number; readonly y: number };

/** Takes the upright parts of a line; the others run between two rows. */
function uprightsOf(points: readonly Point[]): readonly Rect[] {
  return points.slice(1).flatMap((point, index) => {
    const before = points[index];
    if (before === undefined) return [];
    const [top, bottom] = [Math.min(before.y, point.y), Math.max(before.y, point.y)];
    const [left, right] = [Math.min(before.x, point.x), Math.max(before.x, point.x)];
    return [{ x: left, y: top, width: right - left, height: bottom - top }];
  });
}

function isOnBorder({ x, y }: Point, box: ChartLayout['boxes'][number]): boolean {
  const heights = [box.y, box.y + box.height, ...(box.ruleY === null ? [] : [box.y + box.ruleY])];
  return x >= box.x && x <= box.x + box.width && heights.some((each) => Math.abs(each - y) < 0.01);
}
