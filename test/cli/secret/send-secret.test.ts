import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { WriteFailure } from '../../../machines/process/events.ts';
import type { Asked } from '../../../src/cli/secret/ask-secret.ts';
import { type SecretFlags, sendSecret } from '../../../src/cli/secret/send-secret.ts';
import { tempDir } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { processView } from '../process-views.ts';

function write(
  flags: Partial<SecretFlags>,
  {
    secrets = [],
    refusal,
    asked = { type: 'noTerminal' },
    text = [],
  }: { secrets?: readonly string[]; refusal?: WriteFailure; asked?: Asked; text?: readonly string[] } = {},
) {
  const fake = fakeIo({ env: { TOKEN: 'abc-123' } });
  const view = processView({ id: 'tool_a', label: 'deploy' });
  const state = fakeStateDirectory([
    { view, secrets, ...(refusal !== undefined && { secretRefusal: refusal }) },
  ]);
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return asked;
  };
  const all = { secret: 'token', newline: true, ...flags };
  const code = sendSecret({ word: 'deploy', text, flags: all, io: fake.io, open: state.open, ask });
  return { ...fake, code, orders: state.orders, questions };
}

test('a secret of a variable is written, and not said', async () => {
  const { code, orders, stdout, stderr } = write({ fromEnv: 'TOKEN' });

  expect(await code).toBe(0);
  expect(orders[0]).toEqual({ writeSecret: 'tool_a', name: 'token', isGiven: true, pressEnter: true });
  expect(stdout() + stderr()).toBe('token was written to tool_a (deploy).\n');
});

test('a secret of a file is its text without the last line break', async () => {
  using folder = tempDir();
  writeFileSync(folder.file('token'), 'abc-123\n');

  const { code, orders } = write({ fromFile: folder.file('token'), newline: false });

  expect(await code).toBe(0);
  expect(orders[0]).toMatchObject({ isGiven: true, pressEnter: false });
});

test('a secret that the supervisor knows is not asked for', async () => {
  const { code, questions } = write({}, { secrets: ['token'] });

  expect(await code).toBe(0);
  expect(questions).toEqual([]);
});

test('an unknown secret is asked for', async () => {
  const { code, orders, questions } = write({}, { asked: { type: 'typed', value: 'abc-123' } });

  expect(await code).toBe(0);
  expect(questions).toEqual(['token for tool_a (deploy)']);
  expect(orders.slice(0, 2)).toMatchObject([{ isGiven: false }, { isGiven: true }]);
});

test.each(['exposed', 'notRunning', 'noInput'] as const)(
  'a secret that is %s is not asked for',
  async (refusal) => {
    const { code, stderr, questions } = write({}, { refusal });

    expect(await code).toBe(1);
    expect(questions).toEqual([]);
    expect(stderr()).toContain(`It is ${refusal}.`);
  },
);

test('a cancelled prompt writes no secret', async () => {
  const { code, orders } = write({}, { asked: { type: 'left' } });

  expect(await code).toBe(130);
  expect(orders).toHaveLength(2);
});

test('a secret without a prompt names its possible sources', async () => {
  const { code, stderr } = write({});

  expect(await code).toBe(1);
  expect(stderr()).toContain('--from-env NAME or --from-file FILE');
});

test('an empty secret is refused', async () => {
  const { code, orders, stderr } = write({}, { asked: { type: 'typed', value: '' } });

  expect(await code).toBe(1);
  expect(orders).toHaveLength(2);
  expect(stderr()).toMatch(/nothing was typed, so nothing was written/);
});

test.each<[string, Partial<SecretFlags>, readonly string[], string]>([
  ['a value in the command line', {}, ['abc-123'], 'everybody on this machine can read a command line'],
  ['a variable that is not set', { fromEnv: 'NONE' }, [], 'the variable "NONE" is not set'],
  ['more than one source', { fromEnv: 'TOKEN', fromFile: 'x' }, [], 'give one'],
])('%s is refused', (_name, flags, text, problem) => {
  expect(() => write(flags, { text })).toThrow(problem);
});
