import { appendFileSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { OutputLog } from '../../src/output/output-log.ts';
import type { RecordedWatch } from '../../src/process/process-record.ts';
import type { SupervisedProcess } from '../../src/process/supervised-process.ts';
import { parseSpec } from '../../src/supervisor/plan-process.ts';
import { startProcess } from '../../src/supervisor/start-process.ts';
import { createScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import type { WatchNews } from '../../src/watches/watch.ts';
import { Watches } from '../../src/watches/watches.ts';
import { openRuntime } from '../model/open-runtime.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { createFileLog } from '../support/output-logs.ts';
import { turn } from '../support/virtual.ts';

/** A process that writes its log itself, and supervisors that watch it one after the other. */
function arrange(text: string, recorded: Partial<RecordedWatch> = {}) {
  const place = tempDir();
  const path = join(place.path, 'output.log');
  writeFileSync(path, text);
  const clock = createVirtualClock();
  const disk = { isBroken: false };
  const log = createFileLog({
    ...{ clock, path, statusPath: null, maxBytes: 2 ** 30, isOver: false },
    openFile: (file) => {
      if (disk.isBroken) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      return openSync(file, 'r');
    },
  });
  const watch: RecordedWatch = {
    owner: 'user',
    wants: { type: 'pattern', pattern: 'error' },
    since: 0,
    told: 0,
    toldBytes: 0,
    ...recorded,
  };
  const view = () => ({ id: 'p', attempt: 1 });
  const plan = { lifetime: 'persistent' };
  const process = { id: 'p', output: { log }, watches: [watch], plan, status: 'running', view };
  const news: WatchNews[] = [];
  const open = () => {
    const watches = new Watches({
      inspect: null,
      clock,
      tell: (each) => news.push(each),
      save: () => {},
      reportError: (error) => expect(error).toBeUndefined(),
    });
    watches.on({ type: 'process.created' }, process as unknown as SupervisedProcess);
    return watches;
  };
  onTestFinished(async () => {
    await log.close();
    place[Symbol.dispose]();
  });
  const matches = () =>
    news.reduce((sum, each) => sum + (each.type === 'watch.matched' ? each.matches : 0), 0);
  const end = (watches: Watches) => {
    watches.on({ type: 'process.ended' }, process as unknown as SupervisedProcess);
    return watches.ended('p');
  };
  return {
    open,
    end,
    news,
    matches,
    process,
    clock,
    log,
    disk,
    print: (more: string) => appendFileSync(path, more),
  };
}

/** How many bytes were read of it. */
function countBytes(log: OutputLog): { bytes: number } {
  const read = { bytes: 0 };
  const chunks = log.chunks.bind(log);
  log.chunks = function* (...given) {
    for (const piece of chunks(...given)) {
      if (piece.type === 'chunk') read.bytes += piece.bytes.byteLength;
      yield piece;
    }
  };
  return read;
}

const mebibyte = 2 ** 20;

test('a rare expression is searched on from where the search stopped', () => {
  const rig = arrange('fine\n'.repeat(1_000));
  const watches = rig.open();

  rig.clock.advance(50);
  watches.close();

  expect(rig.news).toEqual([]);
  expect(rig.process.watches).toMatchObject([{ told: 0, toldBytes: 5_000 }]);
});

test('unreported matches are reported later', async () => {
  const rig = arrange('error one\n');
  const first = rig.open();
  rig.clock.advance(50);
  rig.print('error two\n');
  rig.clock.advance(1_000);
  first.close();

  await rig.end(rig.open());

  expect(rig.news).toMatchObject([{ lines: ['error one'] }, { lines: ['error two'] }]);
});

test('a prompt counts once across supervisors', async () => {
  const rig = arrange('error: retry? ');
  const first = rig.open();
  rig.clock.advance(50);
  first.close();

  rig.print('yes\nerror: two\n');
  await rig.end(rig.open());

  expect(rig.news).toMatchObject([{ lines: ['error: retry? '] }, { lines: ['error: two'] }]);
});

test('the rest of a large log is searched in turns', async () => {
  const rig = arrange(`error\n${'fine\n'.repeat(mebibyte / 5)}error\n`);
  const read = countBytes(rig.log);
  const watches = rig.open();

  const searching = rig.end(watches);
  const [bytesAtOnce, openAtOnce] = [read.bytes, watches.list({}).length];
  await searching;

  expect(bytesAtOnce).toBeLessThan(mebibyte / 2);
  expect(openAtOnce).toBe(1);
  expect(rig.matches()).toBe(2);
  expect(watches.list({})).toEqual([]);
});

test('a log without line feeds is read in turns', async () => {
  const rig = arrange(`${'fine 50%\r'.repeat(mebibyte / 3)}error`);
  const read = countBytes(rig.log);

  const watches = rig.open();
  const bytesAtOnce = read.bytes;
  await rig.end(watches);

  expect(bytesAtOnce).toBeLessThan(1.1 * mebibyte);
  expect(rig.matches()).toBe(1);
});

test('leftovers that write on do not delay the end', async () => {
  const rig = arrange(`error\n${'fine\n'.repeat(mebibyte / 5)}`);
  const chunks = rig.log.chunks.bind(rig.log);
  rig.log.chunks = (...given) => {
    rig.print('fine\n'.repeat(60_000));
    return chunks(...given);
  };

  await rig.end(rig.open());

  expect(rig.matches()).toBe(1);
});

test('a failed read at the end is retried', async () => {
  const rig = arrange('fine\nerror\n');
  rig.disk.isBroken = true;
  const searching = rig.end(rig.open());
  const toldAtOnce = rig.news.length;

  rig.disk.isBroken = false;
  rig.clock.advance(250);
  await searching;

  expect(toldAtOnce).toBe(0);
  expect(rig.news).toMatchObject([{ type: 'watch.matched', lines: ['error'] }]);
});

test('output that cannot be read is reported as a failure', async () => {
  const rig = arrange('fine\nerror\n');
  rig.disk.isBroken = true;
  const searching = rig.end(rig.open());

  rig.clock.advance(5_000);
  await searching;

  const why = expect.stringMatching(/^The last 11 bytes of .* cannot be read .*EIO/);
  expect(rig.news).toMatchObject([{ type: 'watch.failed', why }]);
});

test('a shutdown tells of what it leaves unsearched', async () => {
  const rig = arrange(`error\n${'fine\n'.repeat(mebibyte / 5)}error\n`);
  const watches = rig.open();

  const searching = rig.end(watches);
  watches.close();
  await searching;

  const why = expect.stringContaining('before the rest of the output was searched');
  expect(rig.news).toMatchObject([{ type: 'watch.matched' }, { type: 'watch.failed', why }]);
});

test('an end is published after its matches', async () => {
  const backend = createScriptedBackend();
  const clock = createVirtualClock();
  const { runtime, deps } = openRuntime({ clock, backend, stateDirectory: false, handleSignals: false });
  const process = startProcess(parseSpec({ command: ['scripted'], background: true }), { runtime, deps });
  const searching = Promise.withResolvers<void>();
  runtime.watches.ended = () => searching.promise;
  const told: string[] = [];
  runtime.publication.events.subscribe(({ type }) => told.push(type));
  runtime.publication.completions.completions$.subscribe(() => told.push('completion'));
  await turn();

  backend.lastRun.exit();
  await process.ended;
  await turn();
  told.push('searched');
  searching.resolve();
  await waitUntil(() => told.includes('completion'));

  expect(told.slice(-3)).toEqual(['searched', 'process.ended', 'completion']);
});
