import { toErrorText } from '../config/error-text.ts';
import type { Peer } from '../control/protocol.ts';
import type { DamagedRecord } from '../store/record-store.ts';

/** Why of this one only the records can be shown. */
export function toSilentWarning({ id, pid }: Peer, error: unknown): string {
  return `Supervisor ${id} (pid ${pid}) could not be asked, so its records are shown: ${toErrorText(error)}`;
}

export function toStrangerWarning(supervisorId: string, what: 'processes' | 'schedules'): string {
  return `Supervisor ${supervisorId} is where this program cannot look, perhaps in a container: its ${what} are shown as they were last written down.`;
}

export function toDamagedWarning({ name, why }: DamagedRecord): string {
  return `The record ${name} was left out: ${why}.`;
}
