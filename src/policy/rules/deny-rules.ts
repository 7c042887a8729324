import { ddToDevice } from './dd-to-device.ts';
import type { DenyRule } from './deny-rule.ts';
import { diskFormat } from './disk-format.ts';
import { killByName } from './kill-by-name.ts';
import { machinePower } from './machine-power.ts';
import { rawDiskWrite } from './raw-disk-write.ts';
import { recursiveForcedDelete } from './recursive-forced-delete.ts';

/** Found where functions are defined, not in a single command. */
const forkBomb: DenyRule = {
  name: 'fork-bomb',
  what: 'a function that multiplies itself without an end',
  hint: 'Let the function call itself neither in a pipe nor in the background.',
  finds: () => 'no',
};

/** Rules that apply to every command unless the user's settings disable them. */
export const denyRules: readonly DenyRule[] = [
  recursiveForcedDelete,
  ddToDevice,
  diskFormat,
  rawDiskWrite,
  machinePower,
  forkBomb,
  killByName,
];
