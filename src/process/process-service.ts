import type { LifecycleEvent } from './lifecycle-event.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** A part of the supervisor that follows the lives of all processes. Each service owns what it knows; none calls another. */
export interface ProcessService {
  /** Called once for each event of each registered process, in the order in which the services are composed. */
  on(event: LifecycleEvent, process: SupervisedProcess): void;
}
