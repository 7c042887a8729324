import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createVirtualHarness } from '../support/virtual.ts';

const refused = { name: 'TroupeError', code: 'input-refused' };

function startCat(command: string, supervisor: ReturnType<typeof createSupervisor>) {
  return supervisor.start({ command, stdin: 'pipe', background: true });
}

test('a stream is piped through a process, however slow it reads', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const handle = startCat('cat', supervisor);
  const chunks = Array.from({ length: 400 }, (_, index) => `${index} ${'x'.repeat(5_000)}\n`);

  const piping = Readable.toWeb(Readable.from(chunks)).pipeTo(handle.stdin);
  const text = await new Response(handle.toWeb()).text();
  await piping;

  expect(text === chunks.join('')).toBe(true);
  expect((await handle.ended).status).toBe('completed');
});

test('a write waits until the process reads, and an abort ends the wait', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const handle = startCat('sleep 60', supervisor);
  const writer = handle.stdin.getWriter();
  let isWritten = false;

  const writing = writer.write(Buffer.alloc(1024 * 1024)).then(() => {
    isWritten = true;
  });
  const failing = expect(writing).rejects.toThrow('no more');
  await writer.abort(new Error('no more'));

  await failing;
  expect(isWritten).toBe(false);
});

test('a kill fails a write that waits', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const handle = startCat('sleep 60', supervisor);
  const writing = handle.stdin.getWriter().write(Buffer.alloc(1024 * 1024));
  const failing = expect(writing).rejects.toMatchObject(refused);

  await handle.kill();

  await failing;
});

test('a stream fails when its process has ended', async () => {
  await using rig = createVirtualHarness();
  const { supervisor, backend } = rig;
  const handle = startCat('cat', supervisor);
  const writer = handle.stdin.getWriter();
  const failing = expect(writer.closed).rejects.toMatchObject({
    ...refused,
    message: `Process ${handle.id} is not running (status completed).`,
  });

  backend.lastRun.exit();
  await handle.ended;

  await failing;
});

test('a process without input refuses its stream', async () => {
  await using rig = createVirtualHarness();
  const { supervisor } = rig;
  const handle = supervisor.start({ command: 'true', background: true });

  const writing = handle.stdin.getWriter().write('text');

  await expect(writing).rejects.toMatchObject({ ...refused, message: 'Its input was not asked for.' });
});

test('the stream stays the same until it is closed', async () => {
  await using rig = createVirtualHarness();
  const { supervisor } = rig;
  const handle = startCat('cat', supervisor);
  const first = handle.stdin;
  expect(handle.stdin).toBe(first);

  await first.close();

  expect(handle.stdin).not.toBe(first);
});

test('a view says whether there is input to write: not without a pipe, nor after its end, and again after a restart', async () => {
  await using rig = createVirtualHarness();
  const { supervisor } = rig;
  const restart = { policy: 'transient', minBackoff: '10ms', maxBackoff: '10ms' } as const;
  const piped = supervisor.start({ command: 'cat', stdin: 'pipe', background: true, restart });
  const silent = supervisor.start({ command: 'true', background: true });

  expect([piped.view().takesInput, silent.view().takesInput]).toEqual([true, false]);
  await piped.endInput();
  expect(piped.view().takesInput).toBe(false);
  rig.run(0).exit({ code: 1 });
  await rig.pass(100);
  expect(piped.view()).toMatchObject({ attempt: 2, takesInput: true });
});
