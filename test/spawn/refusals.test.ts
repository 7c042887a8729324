import { expect, test } from 'vitest';
import type { BackendCommand } from '../../machines/process/events.ts';
import type { ToldFact } from '../../src/spawn/backend.ts';
import { answerCapture, answerWrite, noInput, refuseAll, refuseTerminal } from '../../src/spawn/refusals.ts';

const why = { by: 'user', cause: { type: 'signal' } } as never;

/** Sends one command to an attempt that was never started, and returns all that comes back. */
function send(toCommand: (reply: (answer: unknown) => void) => unknown): readonly unknown[] {
  const heard: unknown[] = [];
  let listener: (command: BackendCommand) => void = () => {};
  refuseAll({
    onCommand: (given) => {
      listener = given;
    },
    tell: (fact: ToldFact) => void heard.push(fact),
  });
  listener(toCommand((answer) => heard.push(answer)) as BackendCommand);
  return heard;
}

const notRunning = { ok: false, error: 'It is not running.' };

test.each([
  ['tree.end', {}, { type: 'tree.gone', ended: [] }],
  ['tree.survey', {}, { type: 'tree.surveyed', leftovers: [] }],
  ['output.settle', { quietMs: 5 }, { type: 'output.quieted' }],
  ['tree.signal', { signal: 'SIGINT', to: 'tree' }, notRunning],
  ['tree.pause', {}, notRunning],
  ['tree.resume', {}, notRunning],
  ['terminal.capture', {}, { ...notRunning, code: 'notRunning' }],
  ['terminal.sendKeys', { strokes: [] }, { ...notRunning, code: 'notRunning', bytesWritten: 0 }],
  ['process.resize', {}, { ...notRunning, code: 'notRunning', bytesWritten: 0 }],
  ['process.write', {}, { ...notRunning, code: 'notRunning', bytesWritten: 0 }],
  ['process.endInput', {}, { ...notRunning, code: 'notRunning', bytesWritten: 0 }],
])('an attempt that was never started answers %s', (type, fields, answer) => {
  expect(send((reply) => ({ type, why, ...fields, reply }))).toEqual([answer]);
});

const noTerminal = {
  ...{ ok: false, code: 'noTerminal', error: 'It has no terminal: start it with interactive: true.' },
};

test.each([
  ['terminal.capture', noTerminal],
  ['terminal.sendKeys', { ...noTerminal, bytesWritten: 0 }],
  ['process.resize', { ...noTerminal, bytesWritten: 0 }],
] as const)('a process without a terminal answers %s', (type, expected) => {
  const answers: unknown[] = [];

  refuseTerminal({ type, reply: (answer: unknown) => answers.push(answer) } as never);

  expect(answers).toEqual([expected]);
});

test('a refusal of input says how to get some', () => {
  expect(noInput).toEqual({
    code: 'noInput',
    refusal: 'It was started without input: start it with stdin: "pipe".',
  });
});

test('an answer that breaks is a refusal with the error', async () => {
  const broken = () => Promise.reject(new Error('no more files'));

  expect(await new Promise((reply) => answerWrite(broken(), reply))).toEqual({
    ...{ ok: false, bytesWritten: 0, code: 'broken' },
    error: 'The input could not be typed: no more files.',
  });
  expect(await new Promise((reply) => answerCapture(broken(), reply))).toEqual({
    ...{ ok: false, code: 'broken' },
    error: 'The screen cannot be read: no more files.',
  });
});

test('an answer that arrives is passed on', async () => {
  const written = { ok: true, bytesWritten: 3 } as const;

  expect(await new Promise((reply) => answerWrite(Promise.resolve(written), reply))).toEqual(written);
});
