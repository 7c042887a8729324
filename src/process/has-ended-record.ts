import { finalStatuses } from '../../machines/process/view.ts';

const ended = new RegExp(
  `^\\{"version":1,"view":\\{"status":"(?:${finalStatuses.join('|')})","leftovers":\\[\\]`,
);

/**
 * Whether a record is certainly one of a process that has ended without leftovers, from the first 64 bytes of its text. Most are, and a
 * list of what is alive need not parse them. `false` for a record whose fields stand in another order: then the whole of it has to tell.
 */
export function hasEndedRecord(beginning: string): boolean {
  return ended.test(beginning);
}
