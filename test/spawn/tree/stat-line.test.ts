import { expect, test } from 'vitest';
import { parseStatLine, toFinalCpuMs } from '../../../src/spawn/tree/stat-line.ts';

/** Fields 3 … 52 with those named replaced. */
function statLine(name: string, fields: Readonly<Record<number, string>>): string {
  const values = Array.from({ length: 50 }, (_, index) => fields[index + 3] ?? '0');
  return `4711 (${name}) ${values.join(' ')}\n`;
}

const usual = {
  3: 'S',
  4: '1',
  5: '4700',
  6: '4600',
  20: '1',
  22: '123456',
  38: '17',
  50: '140700',
  51: '140726',
};

test('fields are counted after the last parenthesis', () => {
  const line = parseStatLine(statLine('a) R 1 (b c', usual));

  expect(line).toMatchObject({
    pid: 4711,
    name: 'a) R 1 (b c',
    ppid: 1,
    pgid: 4700,
    sid: 4600,
    startTicks: '123456',
  });
});

test('a zombie is dead, unless its threads live', () => {
  expect(parseStatLine(statLine('x', usual))?.alive).toBe(true);
  expect(parseStatLine(statLine('x', { ...usual, 3: 'Z' }))?.alive).toBe(false);
  expect(parseStatLine(statLine('x', { ...usual, 3: 'Z', 20: '3' }))?.alive).toBe(true);
});

test('threads, kernel threads and programs in execve are distinguished', () => {
  const thread = parseStatLine(statLine('x', { ...usual, 38: '-1' }));
  const kernelThread = parseStatLine(statLine('kworker/0:1', { ...usual, 9: '69238880', 50: '0', 51: '0' }));
  const inExec = parseStatLine(statLine('x', { ...usual, 50: '0', 51: '0' }));

  expect(thread?.thread).toBe(true);
  expect(kernelThread?.kernelThread).toBe(true);
  expect(inExec).toMatchObject({ kernelThread: false, environmentIsEmpty: false });
});

test('an empty environment is not a missing one', () => {
  expect(parseStatLine(statLine('x', { ...usual, 50: '140726' }))?.environmentIsEmpty).toBe(true);
  expect(parseStatLine(statLine('x', usual))?.environmentIsEmpty).toBe(false);
});

test('a malformed stat line is null', () => {
  expect(parseStatLine('')).toBeNull();
  expect(parseStatLine('4711 x) S 1')).toBeNull();
  expect(parseStatLine('4711 ) ( S 1')).toBeNull();
});

test.each([
  ['R', { alive: true, stopped: false }],
  ['S', { alive: true, stopped: false }],
  ['D', { alive: true, stopped: false }],
  ['T', { alive: true, stopped: true }],
  // A debugger holds it.
  ['t', { alive: true, stopped: false }],
  ['Z', { alive: false, stopped: false }],
  ['X', { alive: false, stopped: false }],
  ['x', { alive: false, stopped: false }],
])('a process in state %s is %j', (state, expected) => {
  expect(parseStatLine(statLine('x', { ...usual, 3: state }))).toMatchObject({ state, ...expected });
});

test('a dead process may have left no thread in the count', () => {
  expect(parseStatLine(statLine('x', { ...usual, 3: 'Z', 20: '0' }))?.alive).toBe(false);
});

test('a line that ends early has zeros for the rest', () => {
  expect(parseStatLine('4711 (x) S 1')).toMatchObject({
    ...{ pid: 4711, name: 'x', ppid: 1, pgid: 0, sid: 0, startTicks: '0', alive: true },
    ...{ thread: false, kernelThread: false, environmentIsEmpty: false },
  });
});

test.each([
  ['a zombie', { 3: 'Z' }, 1_000],
  ['a dead process', { 3: 'X' }, 1_000],
  ['a dead process of an old kernel', { 3: 'x' }, 1_000],
  ['an exiting process', { 3: 'R', 9: '4194308' }, 1_000],
  ['a running process', { 3: 'R', 9: '4194304' }, null],
])('the CPU time of %s is final or unknown', (_, fields, cpuMs) => {
  const times = { 13: '5000', 14: '10', 15: '20', 16: '30', 17: '40', 18: '9000' };

  expect(toFinalCpuMs(statLine('a) Z', { ...usual, ...times, ...fields }))).toBe(cpuMs);
});
