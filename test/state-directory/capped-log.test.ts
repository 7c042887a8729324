import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { printLogs } from '../../src/cli/verbs/logs/logs.ts';
import { toGapLine } from '../../src/output/log-map.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createSupervisor } from '../../src/supervisor/create-supervisor.ts';
import type { Supervisor } from '../../src/supervisor/supervisor.ts';
import { fakeIo } from '../cli/fake-io.ts';
import { tempDir } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { endedRecord, writeRecord } from './records.ts';

const MIB = 1024 * 1024;
const id = 'tool_capped22';
const head = 'first line\n'.padStart(4096, '.');
const tail = 'second last line\nlast line\n';
const gap = { from: 4096, to: 300 * MIB };

/** The directory of a dead supervisor, in which an ended process left a log whose middle was given back to the disk. */
function openStage() {
  const place = tempDir();
  const logFile = join(place.path, 'processes', `${id}.log`);
  const output = {
    bytes: gap.to + tail.length,
    lines: null,
    droppedBytes: gap.to - gap.from,
    lastOutputAt: 1,
  };
  const view = {
    lifetime: 'persistent',
    endedAt: Date.now(),
    output: { ...output, logFile, degraded: null },
  } as const;
  writeRecord(place.path, endedRecord(id, view), id);
  writeFileSync(logFile, head);
  const log = openSync(logFile, 'r+');
  ftruncateSync(log, gap.to);
  writeSync(log, tail, gap.to);
  closeSync(log);
  writeFileSync(join(place.path, 'processes', `${id}.status`), toGapLine(gap));
  const state = openStateDirectory({ directory: place.path });
  return {
    path: place.path,
    state,
    [Symbol.dispose]: () => {
      state.close();
      place.remove();
    },
  };
}

test('a capped log has no NULs without its supervisor', async () => {
  using stage = openStage();

  const whole = await stage.state.read(id);
  const pieces = await Array.fromAsync(stage.state.follow(id, { from: 0 }));

  expect(whole).toMatchObject({ droppedBytes: gap.to - gap.from, problem: null, ended: true });
  expect(whole.text).toBe(`${head}[… ${gap.to - gap.from} bytes of stdout are no longer kept …]\n${tail}`);
  expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()).toBe(head + tail);
  expect(pieces.map(({ droppedBytes }) => droppedBytes)).toEqual([0, gap.to - gap.from, 0]);
});

test('the next supervisor reads the capped log of an ended process', async () => {
  using stage = openStage();
  await using supervisor = createSupervisor({ cwd: stage.path, stateDirectory: stage.path });

  const process = supervisor.get(id);

  expect(process?.read().text).toContain('bytes of stdout are no longer kept');
  expect(process?.view().output).toMatchObject({ droppedBytes: gap.to - gap.from, lines: null });
});

test.each([
  [{ tail: 'all' }, head + tail],
  [{ grep: 'line$' }, `${head}${tail}`],
  [{ since: String(100 * MIB) }, tail],
] as const)('logs %j prints a capped log and notes what is missing', async (flags, printed) => {
  using stage = openStage();
  const { io, stdout, stderr } = fakeIo();

  const code = await printLogs({ words: [id], flags: { ...flags, stateDir: stage.path }, io });

  expect(code).toBe(0);
  expect(stdout()).toBe(printed);
  expect(stderr()).toContain(`bytes before offset ${gap.to} are no longer kept`);
});

test('a capped log of a pipe reads the same once its supervisor is gone', async () => {
  await using stage = openRealHarness({ maxLogBytes: 64 * 1024 });
  const { id, supervised } = await printBeyondCap(stage.supervisor);
  await stage.supervisor.shutdown();
  const state = openStateDirectory({ directory: stage.stateDirectory });

  const [tail, whole] = [await state.read(id, { tail: 3 }), await state.read(id)];
  state.close();

  expect(tail).toEqual(supervised.tail);
  expect(whole).toMatchObject({ to: supervised.bytes, droppedBytes: supervised.missingBytes });
  expect(whole.text).not.toContain('[troupe:');
});

/** Prints more than the log keeps. */
async function printBeyondCap(supervisor: Supervisor) {
  const handle = supervisor.start({ command: 'seq 100000' });
  const { output } = await handle.ended;
  const tail = handle.read({ tail: 3 });
  const kept = statSync(output.logFile ?? '').size - noticeOf(output.logFile ?? '').length;
  return { id: handle.id, supervised: { tail, bytes: output.bytes, missingBytes: output.bytes - kept } };
}

function noticeOf(logFile: string): string {
  return /\n\[troupe: \d+ bytes missing here: [^\]]*\]\n/.exec(readFileSync(logFile, 'utf8'))?.[0] ?? '';
}
