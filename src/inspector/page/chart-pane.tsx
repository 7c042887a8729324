import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { toErrorText } from '../../config/error-text.ts';
import { formatDuration } from '../../config/format-duration.ts';
import type { TimelineEntry } from '../../process/timeline.ts';
import { isLit, isPossible, isWalked } from './light.ts';
import type { StagedProcess } from './staged-process.ts';
import { at, live } from './state.ts';
import { toClock } from './words.ts';

type Charts = typeof import('./charts.ts');

/** Statechart of a process with the state lit and the walked path marked; below it the inside of that state. */
export function ChartPane({ process }: { readonly process: StagedProcess }) {
  const { spans, status, endedAt } = process;
  const path = [...spans.map(({ state }) => state), ...(endedAt === null ? [] : [status])];
  const since = endedAt ?? spans.at(-1)?.from;
  const timeline = live.value.timelines[process.view.id] ?? [];
  const last = timeline.findLast((entry) => entry.cause !== undefined && entry.at <= at.value);
  const walked = path.slice(1).map((state, index) => `${path[index]} -> ${state}`);
  return (
    <div class="chart">
      <p class="path">
        {spans.map(({ state, from, to }, index) => (
          <span key={from} title={`since ${toClock(from, 1)}`}>
            {index > 0 && ' → '}
            <b class={`word ${state}`}>{state}</b> {formatDuration(Math.max(0, (to ?? at.value) - from))}
          </span>
        ))}
        {endedAt !== null && (
          <span>
            {' → '}
            <b class={`word ${status}`}>{status.replace('_', ' ')}</b> at {toClock(endedAt, 1)}
          </span>
        )}
      </p>
      {last?.cause !== undefined && <LastEvent at={last.at} cause={last.cause} />}
      <WithCharts>
        {(charts) => (
          <>
            <Drawing svg={charts.drawProcess()} lit={[status]} walked={walked} visited={path} />
            <Next charts={charts} state={status} since={since === undefined ? '' : toClock(since, 1)} />
          </>
        )}
      </WithCharts>
    </div>
  );
}

/** Loads the charts module and passes it to `children`; shows an alert if loading fails. */
export function WithCharts({ children }: { readonly children: (charts: Charts) => ComponentChildren }) {
  const charts = useSignal<Charts | null>(null);
  const failure = useSignal<string | null>(null);
  useEffect(() => {
    import('./charts.ts').then(
      (loaded) => {
        charts.value = loaded;
      },
      (error: unknown) => {
        failure.value = toErrorText(error);
      },
    );
  }, []);
  if (charts.value !== null) return <>{children(charts.value)}</>;
  if (failure.value === null) return null;
  // Browsers cache a failed import until the page is reloaded.
  return (
    <p class="warning" role="alert">
      The chart could not be loaded: {failure.value}.{' '}
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </p>
  );
}

function LastEvent({
  at: time,
  cause: { event, guards },
}: {
  readonly at: number;
  readonly cause: NonNullable<TimelineEntry['cause']>;
}) {
  return (
    <p class="path last-event">
      last event <b>{event}</b>
      {guards.map((guard) => ` [${guard}]`)} at {toClock(time, 1)}
    </p>
  );
}

/** Our own drawing, the only markup that is not made by components: it has no text of a process. */
export function Drawing({
  svg,
  lit,
  walked,
  visited,
}: {
  readonly svg: string;
  /** Active states. */
  readonly lit: readonly string[];
  readonly walked: readonly string[];
  readonly visited: readonly string[];
}) {
  const light = (element: HTMLElement | null) => {
    for (const state of element?.querySelectorAll<SVGElement>('[data-state]') ?? []) {
      const name = state.dataset['state'] ?? '';
      state.classList.toggle('lit', isLit(name, lit));
      state.classList.toggle('visited', visited.includes(name));
    }
    for (const arrow of element?.querySelectorAll<SVGElement>('[data-stands]') ?? []) {
      const stands = arrow.dataset['stands'] ?? '';
      arrow.classList.toggle('walked', isWalked(stands, walked));
      arrow.classList.toggle('possible', isPossible(stands, lit));
    }
  };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn from our own machine, in which names are escaped
  return <div class="drawing" ref={light} dangerouslySetInnerHTML={{ __html: svg }} />;
}

/** Transitions that may be taken from a state now, and the inside of it. */
function Next({
  charts,
  state,
  since,
}: {
  readonly charts: Charts;
  readonly state: string;
  readonly since: string;
}) {
  const inside = charts.drawInside(state);
  const next = charts.listNext(state);
  if (next.length === 0)
    return (
      <p class="note">
        {state.replace('_', ' ')} since {since}: an end, nothing leads out of it.
      </p>
    );
  return (
    <>
      <h3>may happen now, in {state}</h3>
      <table class="next">
        <thead>
          <tr>
            <th>event</th>
            <th>if</th>
            <th>leads to</th>
            <th>and does</th>
          </tr>
        </thead>
        <tbody>
          {next.map(({ key, from, event, guard, target, actions }) => (
            <tr key={key}>
              <td>
                {event ?? 'at once'}
                {from !== '' && <small> in {from}</small>}
              </td>
              <td>{guard ?? ''}</td>
              <td>{target ?? 'stays'}</td>
              <td>{actions.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {inside !== null && (
        <details>
          <summary>inside of {state}</summary>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: as above */}
          <div class="drawing" dangerouslySetInnerHTML={{ __html: inside }} />
        </details>
      )}
    </>
  );
}
