import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseOptions } from '../../src/config/parse-options.ts';
import { killOptions } from '../../src/config/process-order-options.ts';
import { commandSpec } from '../../src/config/process-spec.ts';
import { supervisorOptions } from '../../src/config/supervisor-options.ts';
import { TroupeError } from '../../src/config/troupe-error.ts';
import { waitOptions } from '../../src/config/wait-options.ts';
import { watchOptions } from '../../src/config/watch-options.ts';
import { createScriptedBackend, createVirtualClock } from '../../src/testing/index.ts';

function problemOf(parse: () => unknown): TroupeError {
  try {
    parse();
  } catch (error) {
    if (error instanceof TroupeError) return error;
  }
  throw new Error('nothing was found wrong');
}

const parseSupervisor = (input: unknown) =>
  parseOptions(supervisorOptions, { input, name: 'createSupervisor' });
const parseCommand = (input: unknown) => parseOptions(commandSpec, { input, name: 'start' });

test('no options are complete options', () => {
  const settings = parseSupervisor({});

  expect(settings).toMatchObject({
    timeout: 30_000,
    onTimeout: 'background',
    maxExecutionTime: 300_000,
    maxBackgroundTime: 0,
    killGrace: 5_000,
    shutdownGrace: 3_000,
    drainQuiet: 100,
    drainMax: 2_000,
    notifyAfterSilence: 300_000,
    maxParallelTools: 5,
    maxParallelAgents: 3,
    maxBackgroundProcesses: 10,
    maxFinished: 1_000,
    handleSignals: false,
  });
});

test('a misspelt option is answered with the nearest', () => {
  const { code, message } = problemOf(() => parseSupervisor({ timeot: 5 }));

  expect(code).toBe('invalid-option');
  expect(message).toBe('createSupervisor: there is no option "timeot" (given: 5). Did you mean "timeout"?');
});

test('a misspelt option inside another is answered too', () => {
  const { message } = problemOf(() => parseCommand({ command: 'true', restart: { polcy: 'permanent' } }));

  expect(message).toContain('"restart.polcy" (given: "permanent"). Did you mean "policy"?');
});

test('a far-fetched option is answered with all', () => {
  const { message } = problemOf(() => parseOptions(killOptions, { input: { colour: 'red' }, name: 'kill' }));

  expect(message).toContain('Known options: signal, grace, by.');
});

test('arguments beside the program are explained', () => {
  const { message } = problemOf(() => parseCommand({ command: 'git', args: ['status'] }));

  expect(message).toContain('command: ["git", "status"]');
});

test.each([
  [{ timeout: -1 }, '"timeout" is -1; expected a duration'],
  [{ timeout: 'soon' }, '"timeout" is "soon"; expected a duration'],
  [{ onTimeout: 'stop' }, '"onTimeout" is "stop"; expected one of "background", "kill", "wait"'],
  [{ maxParallelTools: 0 }, '"maxParallelTools" is 0; expected at least 1'],
  [{ maxBufferBytes: 5 }, '"maxBufferBytes" is 5; expected at least 1024'],
  [{ maxFinished: 1.5 }, '"maxFinished" is 1.5; expected a whole number'],
  [{ owner: '' }, '"owner" is ""; expected a value that is not empty'],
  [{ handleSignals: 'yes' }, '"handleSignals" is "yes"; expected a boolean'],
  [{ clock: {} }, '"clock" is {}; expected a Clock'],
  [{ backend: {} }, '"backend" is {}; expected a Backend'],
  [{ env: { A: 1 } }, '"env.A" is 1; expected a string'],
])('%j is named with what is expected', (input, expected) => {
  expect(problemOf(() => parseSupervisor(input)).message).toContain(`createSupervisor: ${expected}`);
});

test.each(['mode', 'capabilities', 'run'])('a backend without %s is refused', (missing) => {
  const complete = { mode: 'pipe', capabilities: {}, run: () => {} };
  const backend = { ...complete, [missing]: undefined };

  const { message } = problemOf(() => parseSupervisor({ backend }));

  expect(message).toContain('expected a Backend with "mode", "capabilities" and "run".');
});

test.each([
  [{}, '"command" is undefined'],
  [{ command: [] }, '"command" is []'],
  [{ command: 7 }, '"command" is 7'],
])('%j is no command', (input, expected) => {
  const { message } = problemOf(() => parseCommand(input));

  expect(message).toContain(expected);
  expect(message).toContain('text for the shell ("git status | head") or program and arguments');
});

test.each([
  [{ command: '' }, '"command" is ""'],
  [{ command: '  ' }, '"command" is "  "'],
  [{ command: [''] }, '"command.0" is ""'],
])('%j is an empty command', (input, expected) => {
  expect(problemOf(() => parseCommand(input)).message).toContain(
    `start: ${expected}; expected a value that is not empty.`,
  );
});

test('a value that is not an object is named', () => {
  expect(problemOf(() => parseCommand('git status')).message).toContain(
    'start: the options are "git status"; expected an object.',
  );
  expect(problemOf(() => parseCommand(undefined)).message).toContain('start: the options are undefined');
});

test('an error lists every problem', () => {
  const { message } = problemOf(() => parseSupervisor({ timeot: 1, killGrace: 'x' }));

  expect(message.split('\n')).toHaveLength(2);
});

test('a long value is not repeated whole', () => {
  const { message } = problemOf(() => parseSupervisor({ owner: Array(10_000).fill('x') }));

  expect(message.length).toBeLessThan(300);
});

test('a signal has the name that kill prints', () => {
  const kill = (input: unknown) => parseOptions(killOptions, { input, name: 'kill' });

  expect(kill({ signal: 'SIGUSR1' }).signal).toBe('SIGUSR1');
  expect(problemOf(() => kill({ signal: 'TERM' })).message).toContain('"signal" is "TERM"');
});

test('a clock and a backend of ones own are taken', () => {
  const clock = createVirtualClock();
  const backend = createScriptedBackend();

  const settings = parseSupervisor({ clock, backend });

  expect(settings.clock).toBe(clock);
  expect(settings.backend).toBe(backend);
});

test.each([
  [z.number().positive(), 0, 'is 0; expected more than 0.'],
  [z.number().min(0), -1, 'is -1; expected at least 0.'],
  [z.int().lt(10), 10, 'is 10; expected less than 10.'],
  [z.int().max(9), 10, 'is 10; expected at most 9.'],
  [z.string().max(2), 'abc', 'is "abc"; expected at most 2 characters.'],
  [z.string().min(2), 'a', 'is "a"; expected at least 2 characters.'],
  [z.array(z.string()).min(1), [], 'is []; expected a value that is not empty.'],
  [z.array(z.string()).max(1), ['a', 'b'], "is [ 'a', 'b' ]; expected at most 1 items."],
])('a bound is named so that it refuses the value', (value, given, expected) => {
  const schema = z.object({ value });

  const { message } = problemOf(() => parseOptions(schema, { input: { value: given }, name: 'call' }));

  expect(message).toBe(`call: "value" ${expected}`);
});

test('an error lists the accepted forms in words', () => {
  const wait = problemOf(() =>
    parseOptions(waitOptions, { input: { from: { stdout: 0 } }, name: 'waitFor' }),
  );
  const watch = problemOf(() => parseOptions(watchOptions, { input: { quiet: {} }, name: 'watch' }));

  expect(wait.message).toContain('"from" is { stdout: 0 }; expected "start", "now", an offset from 0, or');
  expect(watch.message).toContain('"quiet" is {}; expected a duration: milliseconds from 0');
});
