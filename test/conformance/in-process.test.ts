import type { InProcessWork, SpawnRequest, Work } from '../../src/spawn/backend.ts';
import { inProcessBackend } from '../../src/spawn/in-process/in-process-backend.ts';
import { type BackendUnderTest, describeBackend } from './backend-conformance.ts';

/** Functions that have not returned yet. */
function createInProcessUnderTest(): BackendUnderTest {
  const open = new Set<InProcessWork>();
  const toWork = (run: InProcessWork): Work => {
    const tracked: InProcessWork = async (context) => {
      open.add(tracked);
      try {
        return await run(context);
      } finally {
        open.delete(tracked);
      }
    };
    return { type: 'function', run: tracked };
  };
  const isGone = ({ work }: SpawnRequest) => work.type === 'function' && !open.has(work.run);

  return {
    backend: inProcessBackend,
    work: {
      greets: toWork(async () => 'hello\n'),
      tells: null,
      fails: toWork(async ({ stdout }) => {
        stdout('half');
        throw new Error('problem');
      }),
      obeys: toWork(({ stdout, signal }) => {
        stdout('up\n');
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
      ignoresTerm: null,
      leaves: null,
      echoes: null,
      missing: null,
    },
    isGone,
    end: async () => {},
  };
}

describeBackend('in-process', createInProcessUnderTest);
