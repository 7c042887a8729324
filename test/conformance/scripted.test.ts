import type { Work } from '../../src/spawn/backend.ts';
import { createScriptedBackend, type Script } from '../../src/testing/index.ts';
import { type BackendUnderTest, describeBackend } from './backend-conformance.ts';

const child = { pid: 4_100_000, pgid: 4_100_000, startedAt: '1', command: 'child' };

const scripts: Readonly<Record<string, Script>> = {
  greets: (run) => {
    run.comeUp();
    run.print('hello\n');
    run.exit();
  },
  fails: (run) => {
    run.comeUp();
    run.print('half');
    run.print('problem', 'stderr');
    run.exit({ code: 3 });
  },
  obeys: (run) => {
    run.comeUp();
    run.print('up\n');
  },
  ignoresTerm: (run) => {
    run.obeys = (signal) => signal === 'SIGKILL';
    run.comeUp();
    run.print('up\n');
  },
  leaves: (run) => {
    run.children = [child];
    run.holdsOutput = true;
    run.comeUp();
    run.print('up\n');
    run.exit();
  },
  missing: (run) =>
    run.tell({ type: 'process.spawnFailed', cause: 'missing-program', code: 'ENOENT', message: 'not there' }),
};

function createScriptedUnderTest(): BackendUnderTest {
  const backend = createScriptedBackend((run) => {
    const { work } = run.request;
    if (work.type === 'shell') scripts[work.script]?.(run);
  });
  const toWork = (script: string): Work => ({ type: 'shell', shell: 'none', script });

  return {
    backend,
    work: {
      greets: toWork('greets'),
      tells: null,
      fails: toWork('fails'),
      obeys: toWork('obeys'),
      ignoresTerm: toWork('ignoresTerm'),
      leaves: toWork('leaves'),
      echoes: null,
      missing: toWork('missing'),
    },
    isGone: ({ id }) => {
      const run = backend.runs.find(({ request }) => request.id === id);
      return run === undefined || (!run.isUp && run.children.length === 0);
    },
    end: async () => {},
  };
}

describeBackend('scripted', createScriptedUnderTest);
