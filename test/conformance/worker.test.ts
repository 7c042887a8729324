import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import type { Work } from '../../src/spawn/backend.ts';
import { workerBackend } from '../../src/spawn/worker/worker-backend.ts';
import { tempDir } from '../support/os.ts';
import { describeBackend } from './backend-conformance.ts';

const directory = tempDir();
afterAll(directory.remove);
mkdirSync(directory.path, { recursive: true });

/** Each thread of the module holds a lock on its own field while it lives. */
function toModule(name: string, source: string): Work {
  const path = directory.file(`${name}.mjs`);
  writeFileSync(path, source);
  return { type: 'worker', module: `file://${path}` };
}

describeBackend('worker', () => {
  const alive = new Int32Array(new SharedArrayBuffer(4));
  const beat = `import { workerData } from 'node:worker_threads';
    setInterval(() => Atomics.add(workerData, 0, 1), 1);`;
  let seen = -1;
  return {
    backend: workerBackend,
    work: {
      greets: toModule('greets', `console.log('hello');`),
      tells: null,
      fails: toModule(
        'fails',
        `export default async ({ stdout }) => { stdout('half'); throw new Error('problem'); };`,
      ),
      obeys: { ...toModule('obeys', `${beat} console.log('up');`), workerData: alive } as Work,
      ignoresTerm: null,
      leaves: null,
      echoes: null,
      missing: { type: 'worker', module: `file://${directory.file('missing.mjs')}` },
    },
    /** A thread that lives counts on. */
    isGone: () => {
      if (seen === -1) Atomics.wait(alive, 0, Atomics.load(alive, 0), 5_000);
      const before = Atomics.load(alive, 0);
      seen = before;
      return (
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50) === 'timed-out' &&
        Atomics.load(alive, 0) === before
      );
    },
    end: async () => {},
  };
});
