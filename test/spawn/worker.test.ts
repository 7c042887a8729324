import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSupervisor, type Supervisor } from '../../src/index.ts';
import { tempDir } from '../support/os.ts';

const directory = tempDir();
let supervisor: Supervisor;
beforeAll(() => {
  supervisor = createSupervisor({ stateDirectory: false });
});
afterAll(async () => {
  await supervisor.shutdown();
  directory.remove();
});

let modules = 0;

function toModule(source: string, extension = 'mjs'): string {
  modules += 1;
  const path = directory.file(`job-${modules}.${extension}`);
  writeFileSync(path, source);
  return path;
}

function start(
  source: string,
  { workerData, ...options }: { workerData?: unknown; killGrace?: number } = {},
) {
  return supervisor.start({ run: { worker: toModule(source), workerData }, background: true, ...options });
}

test('a function in a worker gets its data, prints, and returns its result', async () => {
  const handle = start(
    `import { isMainThread } from 'node:worker_threads';
     export default async ({ workerData, stderr }) => { stderr('working'); return { sum: workerData.a + 1, isMainThread }; };`,
    { workerData: { a: 41 } },
  );

  const view = await handle.ended;

  expect(view).toMatchObject({
    status: 'completed',
    exit: { code: 0 },
    mode: 'worker',
    commandLine: 'job-1.mjs()',
  });
  expect(handle.read({ stream: 'stdout' }).text).toBe('{"sum":42,"isMainThread":false}\n');
  expect(handle.read({ stream: 'stderr' }).text).toBe('working');
});

test('a module of TypeScript runs without a function, and sets its exit code', async () => {
  const worker = toModule(`const code: number = 3; console.log('typed'); process.exit(code);`, 'ts');
  const handle = supervisor.start({ run: { worker }, background: true });

  const view = await handle.ended;

  expect(view).toMatchObject({ status: 'failed', exit: { code: 3, signal: null } });
  expect(handle.read().text).toBe('typed\n');
});

test('a worker in an endless loop is terminated at the end of the grace', async () => {
  const handle = start(
    `export default async ({ stdout }) => { stdout('up'); await 0; setImmediate(() => { while (true); }); return new Promise(() => {}); };`,
    {
      killGrace: 100,
    },
  );
  await handle.waitFor({ text: 'up', timeout: '20s' });

  const answer = await handle.kill();

  expect(answer).toMatchObject({ type: 'killed', receipt: { signalled: 'SIGTERM', escalated: true } });
  expect(handle.view()).toMatchObject({ status: 'killed', exit: { code: null, signal: 'SIGKILL' } });
});

test('a module in an endless loop without a function is terminated at once', async () => {
  const handle = start(`await 0; while (true);`);

  const answer = await handle.kill({ grace: '1m' });

  expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: false } });
});

test('a function in a worker ends in its own time when it is stopped', async () => {
  const handle = start(
    `export default ({ signal, stdout }) => new Promise((resolve) => {
       const timer = setInterval(() => {}, 1000);
       signal.addEventListener('abort', () => { clearInterval(timer); resolve('cleaned up'); });
       stdout('up ');
     });`,
  );
  await handle.waitFor({ text: 'up', timeout: '20s' });

  await handle.kill({ grace: '1m' });

  expect(handle.view()).toMatchObject({ status: 'killed', exit: { code: 0 } });
  expect(handle.read().text).toBe('up cleaned up');
});

test.each([
  ['throws', `setTimeout(() => { throw new RangeError('too far'); }, 1);`, 'RangeError: too far'],
  ['cannot be parsed', `const = 1;`, 'SyntaxError'],
  ['rejects', `export default async () => { throw new Error('no luck'); };`, 'Error: no luck'],
])('a worker that %s fails with the cause in its output', async (_, source, cause) => {
  const handle = start(source);

  const view = await handle.ended;

  expect(view).toMatchObject({ status: 'failed', exit: { code: 1 } });
  expect(handle.read({ stream: 'stderr' }).text).toContain(cause);
});

test('a worker beyond its memory limit fails, and the program continues', async () => {
  const worker = toModule(`const kept = []; while (true) kept.push(new Array(10_000).fill({}));`);
  const handle = supervisor.start({
    run: { worker, resourceLimits: { maxOldGenerationSizeMb: 16 } },
    background: true,
  });

  expect((await handle.ended).status).toBe('failed');
  expect(handle.read({ stream: 'stderr' }).text).toContain('memory limit');
});

test('a worker waits for a slow reader', async () => {
  const handle = supervisor.start({
    run: {
      worker: toModule(
        `export default async ({ stdout }) => { for (let n = 1; n <= 20_000; n += 1) await stdout(n + '\\n'); };`,
      ),
    },
    background: true,
    maxBufferBytes: 1024,
  });

  const lines = await Array.fromAsync(handle.lines(), ({ text }) => text);

  expect(lines).toEqual(Array.from({ length: 20_000 }, (_, index) => `${index + 1}`));
});

test.each([[{ worker: './job.ts' }], [5]])('a start with %j throws', (run) => {
  const message = 'expected a function, or a module for a worker thread';

  expect(() => supervisor.start({ run: run as never })).toThrow(message);
});

test('a persistent worker is refused', () => {
  const run = { worker: toModule('') };

  expect(() => supervisor.start({ run, lifetime: 'persistent' })).toThrow(
    'a worker thread runs in this program',
  );
});

test('a missing module and data that cannot be cloned fail the start', async () => {
  const missing = supervisor.start({ run: { worker: directory.file('none.mjs') }, background: true });
  const uncloned = start('', { workerData: { call: () => {} } });

  expect((await missing.ended).reason).toMatchObject({ type: 'spawnFailed' });
  expect((await uncloned.ended).reason).toMatchObject({ type: 'spawnFailed' });
});
