import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { carriers, endAll, tempDir } from '../support/os.ts';
import { here } from './records.ts';

/**
 * Files of a state directory that the version before wrote, by their names. Its supervisor was killed while `later` and `again` ran; they ended
 * without one, like the leftover of `left`. `session` was killed by the watchdog.
 */
const files = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/older-state.json'), 'utf8'),
) as Record<string, string>;

/** Writes them as if they had been written a moment ago, on this boot. */
function openOlderState() {
  const place = tempDir();
  const { savedAt: lastAt } = JSON.parse(files['processes/again.json'] ?? '{}') as { savedAt: number };
  const ageMs = Date.now() - lastAt;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(place.file(name)), { recursive: true });
    writeFileSync(
      place.file(name),
      text
        .replaceAll('<state>', place.path)
        .replaceAll('<boot>', here.bootId ?? '')
        .replaceAll('<namespace>', here.pidNamespace ?? '')
        .replaceAll(/\b\d{13}\b/g, (at) => String(Number(at) + ageMs)),
      { mode: 0o600 },
    );
  }
  const state = openStateDirectory({ directory: place.path });
  return {
    path: place.path,
    state,
    [Symbol.asyncDispose]: async () => {
      state.close();
      await endAll(carriers('/again/'));
      place.remove();
    },
  };
}

test('a state directory of the version before is listed with its ends', async () => {
  await using stage = openOlderState();

  const { processes, warnings } = await stage.state.list();

  expect(warnings).toEqual([]);
  expect(Object.fromEntries(processes.map(({ view }) => [view.id, view]))).toMatchObject({
    done: { status: 'failed', exit: { code: 3 }, label: 'build', metadata: { by: 'test' }, cpuMs: null },
    killed: { status: 'killed', reason: { type: 'killed', by: 'user' }, receipt: { escalated: false } },
    left: { status: 'completed', leftovers: [] },
    later: { status: 'failed', exit: { code: 4 } },
    again: { status: 'restarting', reason: { type: 'exited', code: 5 } },
    session: { status: 'lost' },
  });
});

test('logs of the version before are read', async () => {
  await using stage = openOlderState();

  const texts = await Promise.all(
    ['done', 'left', 'later', 'session'].map(async (id) => (await stage.state.read(id)).text),
  );

  expect(texts).toEqual(['one\ntwo\n', 'hi\n', 'begun\nover\n', 'half\n']);
});

test('processes of the version before are adopted', async () => {
  await using stage = openOlderState();
  await using supervisor = createSupervisor({ cwd: stage.path, stateDirectory: stage.path, control: false });

  const ends = await Promise.all(['later', 'session'].map((id) => supervisor.get(id)?.ended));
  const again = await supervisor.kill('again');

  expect(supervisor.recovered).toMatchObject({
    adopted: expect.arrayContaining(['again', 'later']),
    damaged: [],
  });
  expect(ends).toMatchObject([{ status: 'failed', exit: { code: 4 } }, { status: 'lost' }]);
  expect(supervisor.get('done')?.view()).toMatchObject({ status: 'failed', cpuMs: null });
  expect(supervisor.schedules()).toMatchObject([{ message: 'look at it' }]);
  expect(['killed', 'cancelled']).toContain(again.type);
});
