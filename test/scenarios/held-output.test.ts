import { expect, test } from 'vitest';
import { nodeLogFileSystem } from '../../src/output/log-file-system.ts';
import { watchQuiet } from '../../src/spawn/watch-quiet.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { createMemoryLog } from '../support/output-logs.ts';

test('a pipe that is held is not quiet', async () => {
  const directory = tempDir();
  const clock = createVirtualClock();
  const held: (() => void)[] = [];
  const slow = {
    ...nodeLogFileSystem,
    open: async (...args: Parameters<typeof nodeLogFileSystem.open>) => {
      const handle = await nodeLogFileSystem.open(...args);
      return {
        write: handle.write.bind(handle),
        read: handle.read.bind(handle),
        truncate: (bytes: number) => handle.truncate(bytes),
        stat: () => handle.stat(),
        close: () => handle.close(),
        writev: async (buffers: readonly Uint8Array[]) => {
          await new Promise<void>((resolve) => held.push(resolve));
          return handle.writev(buffers);
        },
      };
    },
  };
  const log = createMemoryLog({
    clock,
    maxBufferBytes: 1024 * 1024,
    headBytes: 1024,
    logFile: { path: directory.file('a.log'), maxBytes: 64 * 1024 * 1024, files: slow },
  });
  let quiet = 0;
  const isWritable = log.write('stdout', new Uint8Array(5 * 1024 * 1024));
  watchQuiet({
    clock,
    output: log,
    quietMs: 100,
    onQuiet: () => {
      quiet += 1;
    },
  });

  clock.advance(500);
  const whileHeld = quiet;
  clock.advance(1_000);
  await new Promise(setImmediate);
  clock.advance(500);

  await waitUntil(() => held.length > 0);
  const closed = log.close();
  for (const release of held) release();
  await closed;
  directory.remove();
  expect(isWritable).toBe(false);
  expect(whileHeld).toBe(0);
  expect(quiet).toBe(1);
});
