import { toProcessEnd } from '../../machines/process/context.ts';
import type { LifeView } from '../../machines/process/view.ts';
import type { Clock } from '../clock/clock.ts';
import { describeSurvivors } from '../spawn/tree/describe-survivors.ts';
import { isSuspectAlive } from '../spawn/tree/suspects.ts';
import type { ProcessTimes } from './process-life.ts';
import type { ProcessPlan } from './process-plan.ts';
import {
  type AwaitedInput,
  type OutputView,
  type ProcessFacts,
  type ProcessView,
  type ProgressView,
  type ReadyView,
  type TerminalView,
  toDescription,
} from './process-view.ts';

interface Sources {
  readonly plan: ProcessPlan;
  readonly owner: string;
  readonly life: LifeView;
  readonly times: ProcessTimes;
  readonly output: OutputView;
  readonly ready: ReadyView;
  readonly clock: Clock;
  readonly terminal: TerminalView | null;
  readonly takesInput: boolean;
  readonly awaitsInput: AwaitedInput | null;
  readonly progress: ProgressView | null;
}

/** Combines the facts of the chart, the output and the plan of a process. */
export function toProcessView(sources: Sources): ProcessView {
  const { plan, owner, life, times, output, terminal, progress, takesInput, awaitsInput } = sources;
  return {
    ...toDescription(plan),
    ...{ owner, mode: plan.backend.mode, attempt: life.attempt, createdAt: times.createdAt },
    ...{ output, terminal, progress, takesInput, awaitsInput },
    ...toStateFacts(sources),
  };
}

type StateFacts = ProcessView extends infer V
  ? V extends unknown
    ? Omit<V, keyof ProcessFacts>
    : never
  : never;

/** Returns the facts that depend on the status. */
export function toStateFacts({
  life,
  times,
  ready,
  clock,
}: Pick<Sources, 'life' | 'times' | 'ready' | 'clock'>): StateFacts {
  const startedAt = times.startedAt ?? times.createdAt;
  switch (life.status) {
    case 'pending':
      return { status: life.status, queued: !life.starting };
    case 'running':
      return { status: life.status, ...toStarted(), pausedAt: pausedAt() };
    case 'backgrounded': {
      const backgroundedAt = times.backgroundedAt ?? startedAt;
      return { status: life.status, ...toStarted(), backgroundedAt, pausedAt: pausedAt() };
    }
    case 'stopping':
      return { status: life.status, ...toStarted(), survivors: life.survivors, because: toSurvival(life) };
    case 'restarting': {
      const { status, restarts, reason, nextStartAtMs } = life;
      return {
        status,
        restarts,
        reason,
        nextStartAt: Math.round(clock.epochMs() + nextStartAtMs - clock.nowMs()),
      };
    }
    default: {
      const { status, pid, restarts, suspects } = life;
      const { startedAt, backgroundedAt, endedAt } = times;
      return {
        ...{ status, pid, startedAt, backgroundedAt, endedAt: endedAt ?? times.createdAt },
        ...{ runtimeMs: runtime(), restarts },
        ...toProcessEnd(life),
        suspects: suspects.filter(isSuspectAlive),
      };
    }
  }

  function toStarted() {
    const { pid, pgid, held, restarts } = life as Extract<LifeView, { pgid: number | null }>;
    return { pid, pgid, held, startedAt, runtimeMs: runtime(), endsAt: endsAt(), restarts, ready };
  }

  function pausedAt(): number | null {
    return 'isPaused' in life && life.isPaused ? (times.pausedAt ?? startedAt) : null;
  }

  function endsAt(): number | null {
    if (!('endLimit' in life) || life.endLimit === null) return null;
    const { from, afterMs } = life.endLimit;
    return from === 'call' ? times.createdAt + afterMs : Math.round(clock.epochMs() - runtime() + afterMs);
  }

  function runtime(): number {
    return times.startedAtMs === null
      ? 0
      : Math.round((times.endedAtMs ?? clock.nowMs()) - times.startedAtMs);
  }
}

/** Asks the system again: what keeps a survivor alive may have changed. */
function toSurvival({ survivors, receipt }: Extract<LifeView, { status: 'stopping' }>): string | null {
  return receipt === null || survivors.length === 0 ? null : describeSurvivors(survivors);
}
