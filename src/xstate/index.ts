export type { LeaveOptions } from '../config/leave-options.ts';
export type { ChildEvent } from './child-event.ts';
export {
  type ProcessActorCommand,
  type ProcessActorEvent,
  type ProcessActorInput,
  type ProcessActorLogic,
  type ProcessActorSnapshot,
  processLogic,
} from './process-logic.ts';
export {
  type SupervisorActorCommand,
  type SupervisorActorEvent,
  type SupervisorActorLogic,
  type SupervisorActorSnapshot,
  supervisorLogic,
} from './supervisor-logic.ts';
