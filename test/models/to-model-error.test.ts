import { APICallError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { ModelError } from '../../src/models/model-error.ts';
import { toModelError } from '../../src/models/to-model-error.ts';

const withCode = (code: string) => Object.assign(new Error('low level'), { code });
const named = (name: string) => Object.assign(new Error('text'), { name });
const calledApi = (fields: object) =>
  new APICallError({
    message: 'no',
    url: 'https://x.test/v1/chat?key=secret',
    requestBodyValues: {},
    ...fields,
  });

test('a model error stays the same', () => {
  const error = new ModelError({ failure: 'cut', message: 'x' });

  expect(toModelError(error)).toBe(error);
});

test.each([
  [new Error('odd'), 'refused', 'odd.'],
  [new TypeError('x is not a function'), 'refused', 'x is not a function.'],
  ['text', 'refused', 'text.'],
  [undefined, 'refused', 'undefined.'],
  [null, 'refused', 'null.'],
  [{ message: 'told', type: 'overloaded_error' }, 'unavailable', 'told.'],
  [{ error: { message: 'slow', code: 'rate_limit_exceeded' } }, 'rateLimited', 'slow.'],
  [new DOMException('gone', 'AbortError'), 'cut', 'gone.'],
  [new DOMException('late', 'TimeoutError'), 'cut', 'late.'],
  [named('AI_LoadAPIKeyError'), 'unauthorized', 'text.'],
  [named('AI_EmptyResponseBodyError'), 'invalid', 'text.'],
  [
    new TypeError('fetch failed', { cause: withCode('ECONNREFUSED') }),
    'unavailable',
    'no server listens there (ECONNREFUSED)',
  ],
  [
    new TypeError('fetch failed', { cause: withCode('ENOTFOUND') }),
    'unavailable',
    'the host name does not exist',
  ],
  [
    new TypeError('x', { cause: new AggregateError([withCode('ECONNREFUSED')]) }),
    'unavailable',
    'no server listens',
  ],
  [Object.assign(new Error('slow'), { status: 429 }), 'rateLimited', '(429): slow.'],
  [Object.assign(new Error('no'), { status: 400 }), 'refused', '(400): no.'],
  [
    calledApi({ statusCode: 401 }),
    'unauthorized',
    'https://x.test/v1/chat does not accept the key (401): no.',
  ],
  [calledApi({ statusCode: 503 }), 'unavailable', 'https://x.test/v1/chat is unavailable (503): no.'],
  [calledApi({ isRetryable: true }), 'unavailable', 'https://x.test/v1/chat is unavailable: no.'],
  [
    calledApi({ statusCode: 400, responseBody: '{"detail":"too long"}' }),
    'refused',
    'refused the request (400): too long.',
  ],
])('%s is %s', (error, failure, words) => {
  const result = toModelError(error);

  expect(result).toMatchObject({ name: 'ModelError', failure });
  expect(result.cause).toBe(error);
  expect(result.message).toContain(words);
  expect(result.message).not.toContain('secret');
});

test.each([
  [{ 'Retry-After': '3' }, 3_000],
  [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': new Date(0).toUTCString() }, 0],
  [new Headers({ 'retry-after': '0.5' }), 500],
  [{}, null],
])('the headers %j ask for %s ms', (headers, retryAfterMs) => {
  const error = Object.assign(new Error('slow'), { status: 429, headers });

  expect(toModelError(error).retryAfterMs).toBe(retryAfterMs);
});

test('a date is a wait until then', () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();

  const { retryAfterMs } = toModelError(
    calledApi({ statusCode: 429, responseHeaders: { 'retry-after': inAMinute } }),
  );

  expect(retryAfterMs).toBeGreaterThan(30_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60_000);
});

test.each([
  [{ 'retry-after': '300' }, true, /slow\.$/],
  [{ 'retry-after': '301' }, false, /slow\. Try again in 5m 01s at the earliest\.$/],
  [{ 'retry-after': '86400' }, false, /in 24h 00m at the earliest\.$/],
])('an endpoint that asks for a long wait is not retried: %j', (headers, isRetryable, words) => {
  const error = toModelError(Object.assign(new Error('slow'), { status: 429, headers }));

  expect(error).toMatchObject({ failure: 'rateLimited', isRetryable });
  expect(error.message).toMatch(words);
});

test('no character of a message is cut in half', () => {
  const texts = ['', 'a'].map((first) => `${first}${'🐚'.repeat(600)}`);

  const messages = texts.map((text) => toModelError(new Error(text)).message);

  expect(messages.map((message) => message.isWellFormed() && message.endsWith('🐚…'))).toEqual([true, true]);
});

test('a message is one line of bounded length', () => {
  const { message } = toModelError(new Error(`a\n\u001b[31mb ${'x'.repeat(10_000)}`));

  expect(message).toMatch(/^a \[31mb x+…$/);
  expect(message.length).toBeLessThan(600);
});
