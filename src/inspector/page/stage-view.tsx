import { signal, useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Range, toPercent, toTicks } from './axis.ts';
import { Lane } from './lane.tsx';
import { RowHead } from './row-head.tsx';
import type { Arrow, StageRow } from './stage.ts';
import { onDrag, onKey, onWheel, ROW, scrollTo } from './stage-moves.ts';
import {
  at,
  chosenRange,
  isChosen,
  live,
  range,
  select,
  selection,
  stage,
  toSelection,
  travel,
  usage,
} from './state.ts';
import { toClock } from './words.ts';

/** Rows beyond the visible ones that are drawn, so that quick scrolling does not show gaps. */
const MARGIN_ROWS = 8;
const USAGE_EVERY_MS = 2_000;
/** Time for which the same rows must be visible before their figures are asked for. */
const SETTLE_MS = 200;

const scrollTop = signal(0);
const height = signal(400);
/** Number of times that fit beside each other on the axis. */
const tickCount = signal(7);
/** Width of the name of a time, with the room around it. */
const TICK_PX = 90;

/** Table of owners and processes with their lanes. Only visible rows exist in the document. */
export function StageView() {
  const box = useRef<HTMLElement>(null);
  const lanes = useRef<HTMLDivElement>(null);
  const { rows, arrows } = stage.value;
  const first = Math.max(0, Math.floor(scrollTop.value / ROW) - MARGIN_ROWS);
  const last = Math.min(rows.length, Math.ceil((scrollTop.value + height.value) / ROW) + MARGIN_ROWS);
  const visible = rows.slice(first, last);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
      const width = lanes.current?.clientWidth ?? 0;
      tickCount.value = Math.min(7, Math.max(1, Math.floor(width / TICK_PX)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const place = rows.findIndex(isChosen);
  useEffect(() => {
    // The automatic choice is not in the address and does not scroll. Rows that move later are not followed: the person may be reading elsewhere.
    if (place !== -1 && location.hash.length > 2) scrollTo(box.current, place);
  }, [selection.value, place === -1]);
  useUsage(visible);
  const shown = range.value;
  return (
    <main class="stage">
      <Axis shown={shown} />
      <section
        ref={box}
        class="rows"
        onScroll={(event) => (scrollTop.value = event.currentTarget.scrollTop)}
        onKeyDown={(event) => onKey(event, rows, box.current)}
      >
        {rows.length === 0 && (
          <p class="none">
            {live.value.processes.length === 0
              ? 'No process was started here yet.'
              : 'No process fits the filter.'}
          </p>
        )}
        <div
          class="sizer"
          role="treegrid"
          aria-label="Processes"
          aria-rowcount={rows.length}
          style={{ height: `${rows.length * ROW}px` }}
          onWheel={(event) => onWheel(event, lanes.current, shown)}
          onPointerDown={(event) => onDrag(event, lanes.current, shown)}
        >
          <div class="window" style={{ transform: `translateY(${first * ROW}px)` }}>
            {visible.map((row, index) => (
              <Row key={row.key} row={row} index={first + index} shown={shown} />
            ))}
          </div>
          <div class="overlay" ref={lanes}>
            <Grid shown={shown} />
            <Arrows rows={rows} arrows={arrows} window={[first, last]} shown={shown} />
          </div>
        </div>
      </section>
    </main>
  );
}

function Row({
  row,
  index,
  shown,
}: {
  readonly row: StageRow;
  readonly index: number;
  readonly shown: Range;
}) {
  const isSelected = useComputed(() => isChosen(row)).value;
  return (
    <div
      class={`row ${row.type} ${isSelected ? 'selected' : ''}`}
      role="row"
      aria-rowindex={index + 1}
      aria-level={row.level}
      aria-selected={isSelected}
      tabIndex={isSelected || (selection.value === null && index === 0) ? 0 : -1}
      data-id={row.id}
      onClick={() => select(toSelection(row))}
    >
      <RowHead row={row} />
      <Lane row={row} shown={shown} />
    </div>
  );
}

/** Asks for CPU, memory and ports of the visible live processes, while the page shows the present. */
function useUsage(visible: readonly StageRow[]) {
  const ids = visible
    .flatMap((row) => (row.type === 'process' && row.endedAt === null ? [row.id] : []))
    .join(',');
  useEffect(() => {
    if (ids === '' || travel.value !== null) return;
    const ask = async () => {
      if (document.hidden) return;
      const response = await fetch(`api/usage?ids=${encodeURIComponent(ids)}`);
      if (response.ok) usage.value = { ...usage.value, ...(await response.json()) };
    };
    const askSafely = () => void ask().catch(() => {});
    // Rows pass quickly while a person scrolls.
    const first = setTimeout(askSafely, SETTLE_MS);
    const timer = setInterval(askSafely, USAGE_EVERY_MS);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [ids, travel.value === null]);
}

const ranges: readonly (readonly [label: string, ms: number | null])[] = [
  ['all', null],
  ['1 h', 3_600_000],
  ['10 min', 600_000],
  ['1 min', 60_000],
  ['10 s', 10_000],
];

function Axis({ shown }: { readonly shown: Range }) {
  const { times, stepMs } = toTicks(shown, tickCount.value);
  return (
    <div class="axis">
      <div class="head">
        <span class="grow">who runs what</span>
        <span class="cpu">CPU</span>
        <span class="memory">memory</span>
      </div>
      <div class="ticks">
        {times.map((time) => (
          <span key={time} class="tick" style={{ left: `${toPercent(time, shown)}%` }}>
            {toClock(time, stepMs)}
          </span>
        ))}
        <span class="ranges" role="group" aria-label="Shown time">
          {ranges.map(([label, ms]) => (
            <button
              key={label}
              type="button"
              aria-pressed={chosenRange.value === ms}
              onClick={() => (chosenRange.value = ms)}
            >
              {label}
            </button>
          ))}
        </span>
      </div>
    </div>
  );
}

function Grid({ shown }: { readonly shown: Range }) {
  const { times } = toTicks(shown, tickCount.value);
  const moment = toPercent(at.value, shown);
  return (
    <>
      {times.map((time) => (
        <i key={time} class="line" style={{ left: `${toPercent(time, shown)}%` }} />
      ))}
      {moment <= 100 && moment >= 0 && (
        <i class={travel.value === null ? 'now' : 'now past'} style={{ left: `${moment}%` }} />
      )}
    </>
  );
}

/** Arrows whose ends are both visible, or that belong to what is chosen. */
function Arrows({
  rows,
  arrows,
  window: [first, last],
  shown,
}: {
  readonly rows: readonly StageRow[];
  readonly arrows: readonly Arrow[];
  readonly window: readonly [number, number];
  readonly shown: Range;
}) {
  const places = new Map(rows.map(({ type, id }, index) => [`${type} ${id}`, index]));
  const chosen = selection.value?.id;
  const lines = arrows.flatMap((arrow) => {
    const [process, owner] = [places.get(`process ${arrow.process}`), places.get(`owner ${arrow.owner}`)];
    if (process === undefined || owner === undefined) return [];
    const isOfChosen = arrow.process === chosen || arrow.owner === chosen;
    const isVisible = [process, owner].every((place) => place >= first && place <= last);
    if (!isVisible && !isOfChosen) return [];
    const [from, to] = arrow.type === 'started' ? [owner, process] : [process, owner];
    return [
      {
        arrow,
        isChosen: isOfChosen,
        x1: toPercent(arrow.from, shown),
        x2: toPercent(arrow.to, shown),
        y1: from * ROW + 15,
        y2: to * ROW + 15,
      },
    ];
  });
  return (
    <svg class="arrows" width="100%" height={rows.length * ROW} preserveAspectRatio="none" aria-hidden="true">
      <defs>
        {(['started', 'notified'] as const).map((type) => (
          <marker
            key={type}
            id={`tip-${type}`}
            viewBox="0 0 8 8"
            refX="6"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path class={`tip ${type}`} d="M0 0 8 4 0 8z" />
          </marker>
        ))}
      </defs>
      {lines
        .filter(({ x1, x2 }) => Math.max(x1, x2) >= 0 && Math.min(x1, x2) <= 100)
        .map(({ arrow, isChosen, x1, x2, y1, y2 }) => (
          <line
            key={`${arrow.type} ${arrow.process}`}
            class={`arrow ${arrow.type} ${isChosen ? 'chosen' : ''}`}
            x1={`${x1}%`}
            y1={y1}
            x2={`${x2}%`}
            y2={y2 + (y2 > y1 ? -8 : 8)}
            marker-end={`url(#tip-${arrow.type})`}
          />
        ))}
    </svg>
  );
}
