import { randomUUID } from 'node:crypto';
import { type Cgroups, createCgroups } from '../../src/spawn/cgroup/cgroups.ts';
import { findOwnCgroup } from '../../src/spawn/cgroup/own-cgroup.ts';

/** Returns whether this user may make cgroups; otherwise tests that need them are skipped with a printed reason. */
export function canMakeCgroups(): boolean {
  const own = findOwnCgroup();
  if ('path' in own) return true;
  console.warn(`Tests with cgroups are SKIPPED: ${own.why}.`);
  return false;
}

/** Creates cgroups for backends without a supervisor; to be closed by the test. */
export function createTestCgroups(): Cgroups {
  return createCgroups(`test_${randomUUID().slice(0, 8)}`, (id) => id);
}
