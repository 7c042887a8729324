/**
 * Reference model of a supervisor for random sequences of commands, written from the guides: what a caller may rely on, without anything
 * of the implementation.
 */
export interface ProcessModel {
  readonly number: number;
  readonly restart: 'temporary' | 'transient' | 'permanent';
  status: 'backgrounded' | 'restarting' | 'completed' | 'failed' | 'killed' | 'timed_out';
  attempts: number;
  /** Restarts of its own accord; after `MAX_RESTARTS` the next abnormal end is final. */
  restarts: number;
  /** Lines that it has received, over all attempts. */
  received: string;
}

export interface SupervisorModel {
  readonly processes: ProcessModel[];
  /** Numbers of processes whose end was not confirmed. */
  readonly unconfirmed: Set<number>;
}

export const MAX_RESTARTS = 2;
export const MAX_LIVE = 3;

export function createSupervisorModel(): SupervisorModel {
  return { processes: [], unconfirmed: new Set() };
}

export function isLive({ status }: ProcessModel): boolean {
  return status === 'backgrounded' || status === 'restarting';
}

export function end(
  model: SupervisorModel,
  process: ProcessModel,
  status: 'completed' | 'failed' | 'killed' | 'timed_out',
): void {
  const isAbnormal = status === 'failed';
  const restarts =
    process.restart === 'permanent' || (process.restart === 'transient' && isAbnormal)
      ? status === 'completed' || isAbnormal
      : false;
  if (restarts && process.restarts < MAX_RESTARTS) {
    process.restarts += 1;
    process.status = 'restarting';
    return;
  }
  process.status = restarts ? 'failed' : status;
  model.unconfirmed.add(process.number);
}

export function startAgain(process: ProcessModel): void {
  process.attempts += 1;
  process.status = 'backgrounded';
}
