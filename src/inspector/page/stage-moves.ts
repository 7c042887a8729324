import { move, type Range, zoom } from './axis.ts';
import type { StageRow } from './stage.ts';
import { at, chosenRange, isChosen, range, select, toSelection } from './state.ts';

/** Height of a row, in pixels. */
export const ROW = 30;

function timeAt(event: MouseEvent, element: Element, { from, to }: Range): number {
  const box = element.getBoundingClientRect();
  return from + ((event.clientX - box.left) / box.width) * (to - from);
}

/** The wheel zooms with Ctrl, pans sideways, and scrolls the table otherwise. */
export function onWheel(event: WheelEvent, lanes: HTMLElement | null, shown: Range) {
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
export function onDrag(event: PointerEvent, lanes: HTMLElement | null, shown: Range) {
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

/** Keys choose a row, zoom and pan. */
export function onKey(event: KeyboardEvent, rows: readonly StageRow[], box: HTMLElement | null) {
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

/** Scrolls as far as the row needs to be visible. */
export function scrollTo(box: HTMLElement | null, place: number) {
  if (box === null) return;
  const top = place * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
}
