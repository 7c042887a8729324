import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { SecretQuestion, SecretSource } from '../../src/config/secret-source.ts';
import { createFixedResolver, createSecretResolver } from '../../src/secrets/secret-resolver.ts';
import { tempDir } from '../support/os.ts';

afterEach(() => vi.unstubAllEnvs());

const signal = new AbortController().signal;

function read(source: SecretSource, more: { cwd?: string; ask?: () => Promise<string | null> } = {}) {
  const book = createSecretResolver({
    sources: { key: source },
    cwd: more.cwd ?? '/',
    ask: more.ask ?? null,
  });
  return book.resolve({ name: 'key', processId: 'tool_a', commandLine: 'login' }, signal);
}

test('a variable is read at each use', async () => {
  const book = createSecretResolver({ sources: { key: { env: 'TROUPE_TEST_KEY' } }, cwd: '/', ask: null });
  vi.stubEnv('TROUPE_TEST_KEY', 'first-value');
  const wish = { name: 'key', processId: 'tool_a', commandLine: 'login' };
  const first = await book.resolve(wish, signal);
  vi.stubEnv('TROUPE_TEST_KEY', 'second-value');

  const second = await book.resolve(wish, signal);

  expect([first, second]).toEqual([
    { ok: true, value: 'first-value' },
    { ok: true, value: 'second-value' },
  ]);
});

test('a file is read without the line break at its end', async () => {
  using directory = tempDir();
  writeFileSync(join(directory.path, 'key'), ' two\nlines \r\n');

  expect(await read({ file: 'key' }, { cwd: directory.path })).toEqual({ ok: true, value: ' two\nlines ' });
});

test('a function gives a secret', async () => {
  expect(await read(async () => 'from-a-vault')).toEqual({ ok: true, value: 'from-a-vault' });
});

test('a person is asked each time and told the purpose', async () => {
  const questions: SecretQuestion[] = [];
  const ask = async (question: SecretQuestion) => `answer ${questions.push(question)}`;
  const book = createSecretResolver({ sources: { key: { ask: 'Your key?' } }, cwd: '/', ask });
  const wish = { name: 'key', processId: 'tool_a', commandLine: 'login' };

  const answers = [await book.resolve(wish, signal), await book.resolve(wish, signal)];

  expect(answers).toEqual([
    { ok: true, value: 'answer 1' },
    { ok: true, value: 'answer 2' },
  ]);
  expect(questions[0]).toEqual({ ...wish, ask: 'Your key?' });
});

const refusal = (why: string) => ({ ok: false, error: `The secret "key" was not written: ${why}.` });

test.for<[string, SecretSource, string]>([
  [
    'a missing variable',
    { env: 'TROUPE_TEST_NOTHING' },
    'the variable TROUPE_TEST_NOTHING is not set in the program that supervises',
  ],
  ['a missing file', { file: '/nowhere/key' }, 'the file "/nowhere/key" cannot be read (ENOENT)'],
  ['a directory', { file: '/' }, 'the file "/" is not a regular file but a directory, a pipe or a device'],
  [
    'a missing person',
    { ask: 'Your key?' },
    'a person would have to be asked for it, and there is no person to ask',
  ],
  ['an empty value', () => ' \n', 'it is empty'],
  [
    'a short value',
    () => 'a b c',
    'it has fewer than 4 characters, and redacting it would also redact ordinary text',
  ],
  ['a value that is no text', (() => 7) as never, 'its source gave no text'],
  [
    'a function that fails',
    () => {
      throw new Error('no vault');
    },
    'the function that returns it has failed',
  ],
  [
    'a function that rejects',
    () => Promise.reject(new Error('no')),
    'the function that returns it has failed',
  ],
])('a refusal names %s', async ([, source, why]) => {
  expect(await read(source)).toEqual(refusal(why));
});

test.for([
  ['abcd', 'abcd'],
  ['a b c d', 'a b c d'],
  ['abcd\n\n', 'abcd\n'],
  ['ab\ncd\r\n', 'ab\ncd'],
])('the value %j is the secret %j', async ([given, value]) => {
  expect(await read(() => given ?? '')).toEqual({ ok: true, value });
});

test('a person whose question fails is a refusal', async () => {
  const ask = () => Promise.reject(new Error('no window'));

  expect(await read({ ask: 'Your key?' }, { ask })).toEqual(refusal('asking for it has failed'));
});

test('a known value is the secret of each name', async () => {
  const resolver = createFixedResolver('hunter2-secret\n');
  const wish = { name: 'key', processId: 'tool_a', commandLine: 'login' };

  expect(resolver.refuse('anything')).toBeNull();
  expect(await resolver.resolve(wish, signal)).toEqual({ ok: true, value: 'hunter2-secret' });
  expect(await createFixedResolver('abc').resolve(wish, signal)).toMatchObject({ ok: false });
});

test('a name without a source is refused with the known ones', async () => {
  const wish = { name: 'zzz', processId: 'tool_a', commandLine: 'login' };
  const resolver = createSecretResolver({ sources: { key: () => 'abcd' }, cwd: '/', ask: null });

  expect(await resolver.resolve(wish, signal)).toEqual({
    ok: false,
    error: 'There is no secret "zzz". Known names: key.',
  });
  expect(createSecretResolver({ sources: {}, cwd: '/', ask: null }).refuse('x')).toBe(
    'There is no secret "x": none is configured here.',
  );
});

test('a FIFO in place of a file is refused at once', async () => {
  using directory = tempDir();
  execFileSync('mkfifo', [directory.file('pipe')]);

  expect(await read({ file: 'pipe' }, { cwd: directory.path })).toMatchObject({
    ok: false,
    error: expect.stringContaining('the file "pipe" is not a regular file'),
  });
});

test.for<[string, SecretSource]>([
  ['a function', () => new Promise<string>(() => {})],
  ['a person', { ask: 'Your key?' }],
])('%s without an answer is abandoned on abort', async ([, source]) => {
  const book = createSecretResolver({ sources: { key: source }, cwd: '/', ask: () => new Promise(() => {}) });
  const unwanted = new AbortController();
  const pending = book.resolve({ name: 'key', processId: 'tool_a', commandLine: 'login' }, unwanted.signal);

  unwanted.abort();

  expect(await pending).toEqual(refusal('no caller waits for it any more'));
});

test('a source is not asked after an abort', async () => {
  const source = vi.fn(() => 'hunter2-secret');
  const book = createSecretResolver({ sources: { key: source }, cwd: '/', ask: null });

  const wish = { name: 'key', processId: 'tool_a', commandLine: 'login' };
  const answer = await book.resolve(wish, AbortSignal.abort());

  expect(answer.ok).toBe(false);
  expect(source).not.toHaveBeenCalled();
});

test('a person without an answer is a refusal', async () => {
  const answer = await read({ ask: 'Your key?' }, { ask: async () => null });

  expect(answer).toEqual(refusal('the person who was asked for it gave no answer'));
});

test('an error of a source is not repeated', async () => {
  const answer = await read(() => {
    throw new Error('vault says: hunter2');
  });

  expect(answer).toMatchObject({ ok: false, error: expect.not.stringContaining('hunter2') });
});

test.skipIf(process.getuid?.() === 0)('a file without read permission is named', async () => {
  using directory = tempDir();
  writeFileSync(join(directory.path, 'key'), 'a-secret');
  chmodSync(join(directory.path, 'key'), 0);

  expect(await read({ file: 'key' }, { cwd: directory.path })).toMatchObject({
    error: expect.stringContaining('EACCES'),
  });
});

test('an unknown name lists the known ones', () => {
  const sources = { 'npm-token': { env: 'A' }, sudo: { env: 'B' } };
  const book = createSecretResolver({ sources, cwd: '/', ask: null });

  expect(book.refuse('npm-token')).toBeNull();
  expect(book.refuse('npm-tokn')).toBe(
    'There is no secret "npm-tokn". Did you mean "npm-token"? Known names: npm-token, sudo.',
  );
  expect(createSecretResolver({ sources: {}, cwd: '/', ask: null }).refuse('x')).toContain(
    'none is configured',
  );
});
