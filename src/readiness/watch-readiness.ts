import type { Cancel, Clock } from '../clock/clock.ts';
import { formatDuration } from '../config/duration.ts';
import type { ReadinessSettings } from '../config/process-spec.ts';
import type { OutputLog } from '../output/output-log.ts';
import { aliveReady } from './alive-ready.ts';
import { fileReady } from './file-ready.ts';
import { httpReady } from './http-ready.ts';
import { lineReady } from './line-ready.ts';
import { portReady } from './port-ready.ts';
import type { ReadinessCondition } from './readiness-condition.ts';

export interface ReadinessOptions {
  readonly settings: ReadinessSettings;
  readonly clock: Clock;
  readonly log: OutputLog;
  /** Offset at which the output of this attempt begins. */
  readonly fromOffset: number;
  readonly cwd: string;
  /** Returns the pids of the live members of the tree, including the leader. */
  readonly treePids: () => Promise<readonly number[]>;
  onReady(): void;
  onFailed(why: string): void;
}

/**
 * Watches a newly started process until it is ready or cannot become ready, and reports the result once: never before this returns and
 * never after a cancellation. Each condition must have held once, not all at the same moment. The caller cancels it when the process
 * ends. `within: 0` means no deadline.
 */
export function watchReadiness(options: ReadinessOptions): Cancel {
  const { settings, clock } = options;
  const conditions = createConditions(options);
  const missing = new Set(conditions);
  const watches = new Map<ReadinessCondition, Cancel>();
  let cancelDeadline: Cancel = () => {};
  let isOver = false;
  let isCancelled = false;

  function stopWatching(): void {
    isOver = true;
    cancelDeadline();
    for (const stop of watches.values()) stop();
  }

  function end(tell: () => void): void {
    if (isOver) return;
    stopWatching();
    queueMicrotask(() => {
      if (!isCancelled) tell();
    });
  }

  function tick(condition: ReadinessCondition): void {
    watches.get(condition)?.();
    missing.delete(condition);
    if (missing.size === 0) end(options.onReady);
  }

  function fail(condition: ReadinessCondition, why: string): void {
    if (missing.has(condition)) end(() => options.onFailed(why));
  }

  function begin(condition: ReadinessCondition): void {
    if (isOver) return;
    const stop = condition.watch({
      onHolds: () => tick(condition),
      onImpossible: (why) => fail(condition, why),
    });
    if (isOver || !missing.has(condition)) stop();
    else watches.set(condition, stop);
  }

  if (settings.within > 0) {
    cancelDeadline = clock.at(clock.nowMs() + settings.within, () => {
      end(() => options.onFailed(describeDeadline(settings.within, missing)));
    });
  }
  for (const condition of conditions) begin(condition);
  if (conditions.length === 0) end(options.onReady);

  return () => {
    isCancelled = true;
    stopWatching();
  };
}

function createConditions(options: ReadinessOptions): readonly ReadinessCondition[] {
  const { settings, clock, cwd, treePids } = options;
  const { line, port, http, file, alive } = settings;
  return [
    ...(file === undefined ? [] : [fileReady(file, { clock, cwd, treePids })]),
    ...(line === undefined ? [] : [lineReady(line, options)]),
    ...(port === undefined ? [] : [portReady(port, { clock, treePids })]),
    ...(http === undefined ? [] : [httpReady(http, { clock, treePids })]),
    ...(alive === undefined ? [] : [aliveReady(alive, clock)]),
  ];
}

function describeDeadline(withinMs: number, missing: Iterable<ReadinessCondition>): string {
  const waitedFor = [...missing].map((condition) => condition.describe()).join(', and for ');
  return `not ready within ${formatDuration(withinMs)}: it still waits for ${waitedFor}`;
}
