import type { KillAnswer, SignalAnswer } from '../../process/process-handle.ts';
import { toPausedAt } from '../../process/process-view.ts';
import { order, orderAloud } from './orders.ts';
import type { StagedProcess } from './staged-process.ts';
import { about, answer, select, travel } from './state.ts';
import { toName } from './words.ts';

/** Buttons for what may be done now. In the past, and without the right to change anything, there are none. */
export function ProcessActions({ process: { view, endedAt } }: { readonly process: StagedProcess }) {
  if (travel.value !== null || about.value?.readOnly === true) return null;
  const { id, status } = view;
  const name = toName(view);
  const isLive = endedAt === null;
  const hasLeftovers = 'leftovers' in view && view.leftovers.length > 0;
  const kill = (signal?: string) =>
    orderAloud<KillAnswer>('kill', {
      params: { id, options: signal === undefined ? {} : { signal } },
      say: ({ message }) => message,
    });
  const isPaused = toPausedAt(view) !== null;
  const pause = () =>
    orderAloud<SignalAnswer>(isPaused ? 'resume' : 'pause', {
      params: { id },
      say: ({ message }) => message,
    });
  const restart = () =>
    orderAloud<boolean>('restart', {
      params: { id },
      say: (done) =>
        done
          ? `${name} is ended and starts again.`
          : `${name} has ended or is stopping; it does not start again by itself.`,
    });
  const background = () =>
    orderAloud<boolean>('background', {
      params: { id },
      say: (done) =>
        done
          ? `${name} continues in the background; its caller waits no longer.`
          : `${name} does not run in the foreground.`,
    });
  const startAgain = async () => {
    const started = await order<{ id: string }>('startAgain', { id });
    if (started === null) return;
    answer.value = {
      text: `Started as ${started.id}, with the environment of the program that runs it.`,
      isRefusal: false,
    };
    select({ type: 'process', id: started.id });
  };
  return (
    <div class="actions" role="group" aria-label={`Actions for ${name}`}>
      {(isLive || hasLeftovers) && (
        <button
          type="button"
          class="danger"
          onClick={() => void kill()}
          title="SIGTERM, then SIGKILL to the whole tree"
        >
          {isLive ? 'kill' : 'kill leftovers'}
        </button>
      )}
      {isLive && (
        <button
          type="button"
          onClick={() => void kill('SIGINT')}
          title="SIGINT, then SIGKILL to the whole tree"
        >
          interrupt
        </button>
      )}
      {(status === 'running' || status === 'backgrounded') && view.mode !== 'in_process' && (
        <button
          type="button"
          onClick={() => void pause()}
          title={isPaused ? 'Continue the whole tree' : 'Halt the whole tree; its time limits continue'}
        >
          {isPaused ? 'resume' : 'pause'}
        </button>
      )}
      {isLive && status !== 'stopping' && status !== 'pending' && (
        <button type="button" onClick={() => void restart()}>
          restart
        </button>
      )}
      {status === 'running' && (
        <button type="button" onClick={() => void background()}>
          background
        </button>
      )}
      {isLive && status !== 'stopping' && <Extend id={id} isForeground={status === 'running'} />}
      {!isLive && (
        <button type="button" onClick={() => void startAgain()}>
          start again
        </button>
      )}
    </div>
  );
}

const extensions = ['1m', '10m', '1h', '0'] as const;

/** Changes the limit that applies now. */
function Extend({ id, isForeground }: { readonly id: string; readonly isForeground: boolean }) {
  const extend = (time: string) => {
    const changes = isForeground ? { timeout: time, maxExecutionTime: time } : { maxBackgroundTime: time };
    const limit =
      time === '0' ? 'no time limit' : `a time limit of ${time}${isForeground ? ' from now on' : ' in all'}`;
    return orderAloud<boolean>('changeLimits', {
      params: { id, changes: time === '0' ? withZero(changes) : changes },
      say: (done) => (done ? `It has ${limit}.` : 'It has ended or is stopping, so its limits stay.'),
    });
  };
  return (
    <select
      aria-label="Change its time limit"
      value=""
      onChange={(event) => {
        const { value } = event.currentTarget;
        event.currentTarget.value = '';
        if (value !== '') void extend(value);
      }}
    >
      <option value="">limit…</option>
      {extensions.map((time) => (
        <option key={time} value={time}>
          {time === '0' ? 'no limit' : time}
        </option>
      ))}
    </select>
  );
}

function withZero(changes: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.keys(changes).map((name) => [name, 0]));
}
