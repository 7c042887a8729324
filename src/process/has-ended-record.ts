import { finalStatuses } from '../../machines/process/view.ts';

const ended = new RegExp(
  `^\\{"version":1,"view":\\{"status":"(?:${finalStatuses.join('|')})","leftovers":\\[\\](?!,"suspects":\\[\\{)`,
);

/**
 * Whether a record is certainly one of a process that has ended without leftovers and suspects, from the first 80 bytes of its text. Most are, and a
 * list of what is alive need not parse them. `false` for a record whose fields stand in another order: then the whole of it has to tell.
 */
export function hasEndedRecord(beginning: string): boolean {
  return ended.test(beginning);
}
