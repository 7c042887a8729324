import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchExit } from '../../../src/spawn/pipe/watch-exit.ts';

/** Watches a child that is played, with the pid of a process that lives. */
function arrange() {
  const child = Object.assign(new EventEmitter(), { pid: process.pid, stdin: null });
  const sources = { stdout: new PassThrough(), stderr: new PassThrough() };
  const exits: unknown[] = [];
  watchExit(child, { sources, onExit: (exit, facts) => exits.push({ ...exit, ...facts }) });
  return { child, sources, exits };
}

test.each([
  [3, null],
  [0, null],
  [null, 'SIGKILL'],
])('an exit with code %j and signal %j is reported once', (code, signal) => {
  const { child, exits } = arrange();

  child.emit('exit', code, signal);
  child.emit('exit', code, signal);

  expect(exits).toEqual([{ code, signal, cpuMs: null, readBytes: null, writtenBytes: null }]);
});

test('the CPU time of a process that still runs is not final', async () => {
  const { child, sources, exits } = arrange();
  for (const source of Object.values(sources)) source.resume().end();
  await setImmediate();
  await setImmediate();

  child.emit('exit', 0, null);

  expect(exits).toEqual([{ code: 0, signal: null, cpuMs: null, readBytes: null, writtenBytes: null }]);
});
