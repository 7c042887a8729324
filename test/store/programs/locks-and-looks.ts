import { closeSync, openSync, unlinkSync } from 'node:fs';
import { TroupeError } from '../../../src/config/troupe-error.ts';
import { lockFile } from '../../../src/store/file-lock.ts';
import { leaveDeadLock } from '../dead-lock.ts';

/**
 * Takes the lock `rounds` times and prints how often another program held it too. In between it may leave a dead
 * program's lock.
 */
const [path = '', rounds = '0', leavesDead = ''] = process.argv.slice(2);
const parent = process.ppid;
let overlaps = 0;
for (let held = 0; held < Number(rounds) && process.ppid === parent; ) {
  const release = tryLock();
  if (release === null) continue;
  held += 1;
  try {
    closeSync(openSync(`${path}.inside`, 'wx'));
    unlinkSync(`${path}.inside`);
  } catch {
    overlaps += 1;
  }
  release();
  if (leavesDead !== '') leaveDeadLock(`${path}.lock`);
}
console.log(overlaps);

function tryLock(): (() => void) | null {
  try {
    return lockFile(path);
  } catch (error) {
    if (error instanceof TroupeError) return null;
    throw error;
  }
}
