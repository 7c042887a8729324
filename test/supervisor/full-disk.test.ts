import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createSocketPaths } from '../../src/store/socket-paths.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import type { SupervisorOptions } from '../../src/supervisor/supervisor-options.ts';
import { untilServerIsGone } from '../spawn/tmux/arrange.ts';
import { isInstalled } from '../support/installed.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';

const timeout = 60_000;
const MIB = 1024 * 1024;

const openStage = (disk: SmallDisk, options: SupervisorOptions = {}) =>
  openRealHarness({ cwd: '/', stateDirectory: join(disk.path, 'state'), killGrace: 100, ...options });

test('a persistent process can write more than a small disk holds', { timeout }, async (context) => {
  using disk = mountSmallDisk(context, 3);
  await using stage = openStage(disk);
  // Each part waits for room, so that a slow machine is no full disk.
  const script = `i=0
    while [ $i -lt 40 ]; do
      until [ "$(stat -f -c %f ${disk.path})" -gt 300 ]; do sleep 0.01; done
      head -c 262144 /dev/zero | tr '\\0' x || exit 9
      i=$((i+1))
    done`;

  const view = await stage.supervisor.start({ command: script, lifetime: 'persistent', background: true })
    .ended;

  expect(view.reason).toEqual({ type: 'exited', code: 0 });
  expect(view.output.bytes).toBe(10 * MIB);
  expect(view.output.droppedBytes).toBeGreaterThan(7 * MIB);
  expect(view.output.degraded).toContain('the disk is nearly full');
});

test('a full disk is reported in the view and in the log', { timeout }, async (context) => {
  using disk = mountSmallDisk(context, 2);
  await using stage = openStage(disk);
  const process = stage.supervisor.start({
    command: 'while :; do echo a line; sleep 0.02; done 2>/dev/null',
    lifetime: 'persistent',
    background: true,
  });
  await waitUntil(() => process.view().output.bytes > 0);

  disk.fill();
  await waitUntil(() => process.view().output.degraded !== null, { what: 'it is degraded' });
  const { degraded } = process.view().output;
  disk.clear();
  await waitUntil(() => process.read().text.includes('[troupe:'), { what: 'the log is marked' });
  const { text } = process.read();
  await process.kill();
  await stage.supervisor.shutdown();

  expect(degraded).toBe(
    'the disk was full: output that the process could not write may be missing; the amount is unknown',
  );
  expect(text).toContain(
    '\n[troupe: the disk was full here: output that the process could not write may be missing]\n',
  );
  const later = openStateDirectory({ directory: stage.stateDirectory });
  expect((await later.show(process.id)).view.output.degraded).toBe(degraded);
  later.close();
});

test.skipIf(!isInstalled('tmux'))(
  'a terminal is taken down again after a full disk',
  { timeout },
  async (context) => {
    using disk = mountSmallDisk(context, 2);
    await using stage = openStage(disk, { terminal: 'tmux' });
    const socket = createSocketPaths(toStatePaths(stage.stateDirectory)).make('tmux');
    const process = stage.supervisor.start({
      command: 'while read -r word; do echo "<$word>"; done',
      interactive: true,
      background: true,
    });
    const type = (text: string) => process.sendKeys({ text, pressEnter: true });
    await type('before');
    await waitUntil(() => process.read().text.includes('<before>'));

    disk.fill();
    // More than the last block of the log can take.
    for (let count = 0; count < 10; count += 1) await type('filling '.repeat(60));
    await type('full');
    await waitUntil(async () => {
      const { ok, ...answer } = await process.capture();
      return ok && 'screen' in answer && answer.screen.lines.join('\n').includes('<full>');
    });
    await waitUntil(() => process.view().output.degraded?.includes('the disk was full'));
    disk.clear();
    await type('after');

    await waitUntil(() => process.read().text.includes('<after>'), { what: 'later output is there' });
    await process.kill();
    await stage.supervisor.shutdown();
    await untilServerIsGone(socket);
  },
);
