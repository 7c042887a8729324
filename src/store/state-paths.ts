import { join, resolve } from 'node:path';
import { checkRecordId } from './record-id.ts';

/** Absolute paths in a state directory. Invalid ids are refused with TroupeError `invalid-option`. */
export interface StatePaths {
  readonly directory: string;
  readonly processes: string;
  readonly supervisors: string;
  readonly conversations: string;
  readonly schedules: string;
  /** `processes/<id>.json` */
  recordOf(processId: string): string;
  /** `processes/<id>.log` */
  logOf(processId: string): string;
  /** `processes/<id>.status` */
  statusOf(processId: string): string;
  /** `processes/<id>.screen` */
  screenOf(processId: string): string;
  /** `supervisors/<id>.json` */
  supervisorOf(supervisorId: string): string;
}

export function toStatePaths(stateDirectory: string): StatePaths {
  const directory = resolve(stateDirectory);
  const processes = join(directory, 'processes');
  const supervisors = join(directory, 'supervisors');
  return {
    directory,
    processes,
    supervisors,
    conversations: join(directory, 'conversations'),
    schedules: join(directory, 'schedules'),
    recordOf: (id) => join(processes, `${checkRecordId(id)}.json`),
    logOf: (id) => join(processes, `${checkRecordId(id)}.log`),
    statusOf: (id) => join(processes, `${checkRecordId(id)}.status`),
    screenOf: (id) => join(processes, `${checkRecordId(id)}.screen`),
    supervisorOf: (id) => join(supervisors, `${checkRecordId(id)}.json`),
  };
}
