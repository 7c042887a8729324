import { signal } from '@preact/signals';
import { at, moments, now, stepMoment, travel, travelTo } from './state.ts';
import { toClock } from './words.ts';

/** Longest pause of the play between two events, in ms. */
const MAX_PAUSE_MS = 1_000;

const timer = signal<number | null>(null);

function stop() {
  if (timer.value !== null) window.clearTimeout(timer.value);
  timer.value = null;
}

/** Plays from the shown moment on, event by event; pauses are as long as they were, a second at most. */
function play() {
  if (travel.value === null) travelTo(moments.value[0] ?? null);
  const next = moments.value.find((time) => time > at.value);
  if (next === undefined) {
    stop();
    return travelTo(null);
  }
  timer.value = window.setTimeout(
    () => {
      travelTo(next);
      play();
    },
    Math.min(MAX_PAUSE_MS, next - at.value),
  );
}

function step(direction: 1 | -1) {
  stop();
  stepMoment(direction);
}

function goTo(time: number | null) {
  stop();
  travelTo(time);
}

/** Control of the moment that the whole page shows. */
export function TimeTravel() {
  const from = moments.value[0] ?? now.value - 1;
  const isPlaying = timer.value !== null;
  const isPast = travel.value !== null;
  return (
    <div class={isPast ? 'travel past' : 'travel'} role="group" aria-label="Moment that is shown">
      <button type="button" title="Previous event (,)" aria-label="Previous event" onClick={() => step(-1)}>
        ‹
      </button>
      <button
        type="button"
        title="Next event (.)"
        aria-label="Next event"
        disabled={!isPast}
        onClick={() => step(1)}
      >
        ›
      </button>
      <button
        type="button"
        aria-label={isPlaying ? 'Pause' : 'Play'}
        onClick={() => (isPlaying ? stop() : play())}
      >
        {isPlaying ? '❚❚' : '▶'}
      </button>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={isPast ? toClock(at.value, 1) : 'now'}
        min={from}
        max={now.value}
        step="any"
        value={at.value}
        onInput={(event) => goTo(Number(event.currentTarget.value))}
      />
      <time>{toClock(at.value, isPast ? 1 : 1_000)}</time>
      <button type="button" class="live" aria-pressed={!isPast} onClick={() => goTo(null)}>
        {isPast ? 'back to now' : '● live'}
      </button>
    </div>
  );
}
