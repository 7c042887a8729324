import { signal, useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { move, type Range, toPercent, toTicks, zoom } from './axis.ts';
import { Lane } from './lane.tsx';
import { RowHead } from './row-head.tsx';
import type { Arrow, StageRow } from './stage.ts';
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

const ROW = 30;
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

function timeAt(event: MouseEvent, element: Element, { from, to }: Range): number {
  const box = element.getBoundingClientRect();
  return from + ((event.clientX - box.left) / box.width) * (to - from);
}

/** The wheel zooms with Ctrl, pans sideways, and scrolls the table otherwise. */
function onWheel(event: WheelEvent, lanes: HTMLElement | null, shown: Range) {
  if (lanes === null) return;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    const around = timeAt(event, lanes, shown);
    chosenRange.value = zoom(shown, { around, factor: Math.exp(event.deltaY / 300) });
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    chosenRange.value = move(shown, (event.deltaX / lanes.clientWidth) * (shown.to - shown.from));
  }
}

/** Dragging a lane pans; the click that ends it chooses nothing. */
function onDrag(event: PointerEvent, lanes: HTMLElement | null, shown: Range) {
  if (lanes === null || event.button !== 0 || !(event.target instanceof Element)) return;
  if (event.target.closest('.lane') === null) return;
  const from = event.clientX;
  let hasMoved = false;
  const onMove = (moved: PointerEvent) => {
    const pixels = moved.clientX - from;
    if (Math.abs(pixels) < 4 && !hasMoved) return;
    hasMoved = true;
    chosenRange.value = move(shown, (-pixels / lanes.clientWidth) * (shown.to - shown.from));
  };
  const onUp = () => {
    window.removeEventListener('pointermove', onMove);
    if (!hasMoved) return;
    const swallow = (click: Event) => click.stopPropagation();
    window.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener('click', swallow, { capture: true }));
  };
  window.addEventListener('pointermove', onMove);
  window.addEventListener('pointerup', onUp, { once: true });
}

function onKey(event: KeyboardEvent, rows: readonly StageRow[], box: HTMLElement | null) {
  const index = rows.findIndex(isChosen);
  const steps: Record<string, number> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    Home: 0,
    End: rows.length - 1,
    PageDown: index + 10,
    PageUp: index - 10,
  };
  const zooms: Record<string, number> = { '+': 0.7, '=': 0.7, '-': 1.4 };
  const moves: Record<string, number> = { ArrowLeft: -0.1, ArrowRight: 0.1 };
  const shown = range.value;
  const [step, factor, share] = [steps[event.key], zooms[event.key], moves[event.key]];
  if (factor !== undefined) chosenRange.value = zoom(shown, { around: at.value, factor });
  else if (share !== undefined) chosenRange.value = move(shown, share * (shown.to - shown.from));
  else if (event.key === '0') chosenRange.value = null;
  else if (event.key === 'Enter')
    document.querySelector<HTMLElement>('.pane.output .xterm textarea, .pane.output input')?.focus();
  else if (step !== undefined) {
    const place = Math.min(rows.length - 1, Math.max(0, step));
    const row = rows[place];
    if (row === undefined) return;
    select(toSelection(row));
    scrollTo(box, place);
    requestAnimationFrame(() =>
      box?.querySelector<HTMLElement>('.row.selected')?.focus({ preventScroll: true }),
    );
  } else return;
  event.preventDefault();
}

function scrollTo(box: HTMLElement | null, place: number) {
  if (box === null) return;
  const top = place * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
}
