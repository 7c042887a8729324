import { expect, test } from 'vitest';
import { parseOptions } from '../../src/config/parse-options.ts';
import {
  describeFailure,
  failureOfCode,
  failureOfStatus,
  findNetworkCause,
  fromValue,
  isTooLong,
  readEndpointMessage,
  readRetryAfter,
  toLine,
  toSentence,
} from '../../src/models/endpoint-failure.ts';
import { ModelError, type ModelFailure } from '../../src/models/model-error.ts';
import { checkHeaders, openAiOptions } from '../../src/models/model-options.ts';
import { toAddress } from '../../src/models/openai-request.ts';
import { toCallInput, toCallInputText, toToolName } from '../../src/models/tool-calls.ts';

const facts = { address: 'http://host/v1', status: 400, text: 'Said so.', retryAfterMs: null };

test.for<readonly [failure: ModelFailure, withStatus: string, without: string]>([
  [
    'unauthorized',
    'http://host/v1 does not accept the key (400): Said so.',
    'The model does not accept the key: Said so.',
  ],
  [
    'rateLimited',
    'http://host/v1 has had too many requests (400): Said so.',
    'The model has had too many requests: Said so.',
  ],
  ['unavailable', 'http://host/v1 is unavailable (400): Said so.', 'The model is unavailable: Said so.'],
  ['cut', 'http://host/v1 stopped in the middle: Said so.', 'The model stopped in the middle: Said so.'],
  [
    'invalid',
    'http://host/v1 sent something other than a reply: Said so.',
    'The model sent something other than a reply: Said so.',
  ],
  [
    'tooLong',
    'http://host/v1 cannot take a conversation of this length (400): Said so.',
    'The model cannot take a conversation of this length: Said so.',
  ],
  ['refused', 'http://host/v1 refused the request (400): Said so.', 'Said so.'],
])('the failure %s is a sentence', ([failure, withStatus, without]) => {
  expect(describeFailure({ ...facts, failure })).toBe(withStatus);
  expect(describeFailure({ ...facts, failure, address: null, status: null })).toBe(without);
});

test.for([
  [300_000, ''],
  [300_001, ' Try again in 5m 00s at the earliest.'],
  [3_600_000, ' Try again in 1h 00m at the earliest.'],
] as const)('a wait of %i ms adds "%s"', ([retryAfterMs, words]) => {
  expect(describeFailure({ ...facts, failure: 'cut', retryAfterMs })).toBe(
    `http://host/v1 stopped in the middle: Said so.${words}`,
  );
});

test.for([
  ['unavailable', null, true],
  ['rateLimited', 300_000, true],
  ['rateLimited', 300_001, false],
  ['cut', 0, true],
  ['invalid', null, true],
  ['unauthorized', null, false],
  ['tooLong', null, false],
  ['refused', 5, false],
] as const)('the failure %s with a wait of %s can be retried: %s', ([failure, retryAfterMs, isRetryable]) => {
  const error = new ModelError({ failure, message: 'No.', retryAfterMs });

  expect(error).toMatchObject({ name: 'ModelError', failure, message: 'No.', retryAfterMs, isRetryable });
  expect('cause' in error).toBe(false);
  expect(new ModelError({ failure, message: 'No.', cause: 7 })).toMatchObject({
    cause: 7,
    retryAfterMs: null,
  });
});

test.for([
  ['{"error":{"message":"Bad.","type":"t","code":"c"}}', { text: 'Bad.', code: 'c t' }],
  ['{"error":{"message":"Bad.","status":"S"},"code":"outer"}', { text: 'Bad.', code: 'S outer' }],
  ['{"error":"Bad."}', { text: 'Bad.', code: '' }],
  ['{"message":"Bad.","code":7}', { text: 'Bad.', code: '' }],
  ['{"detail":[{"msg":"Bad.","type":"t"}]}', { text: 'Bad.', code: 't' }],
  ['[{"error":{"message":"Bad."}}]', { text: 'Bad.', code: '' }],
  ['"Bad."', { text: 'Bad.', code: '' }],
  ['{"error":" ","message":"Bad."}', { text: 'Bad.', code: '' }],
  ['{"other":1}', { text: '{"other":1}', code: '' }],
  ['<html>Bad\n gateway</html>', { text: '<html>Bad gateway</html>', code: '' }],
  ['', { text: '', code: '' }],
] as const)('the body %s says %j', ([body, said]) => {
  expect(readEndpointMessage(body)).toEqual(said);
});

test.for([null, 7, '', ' ', [], {}, { error: null }])('%j says nothing', (value) => {
  expect(fromValue(value)).toBeNull();
});

test.for([
  [' a\n\t b\x00\x1fc\x7f\x9fd ', 'a b c d'],
  ['a\u202eb\u2066c\u200ed', 'abcd'],
  ['x'.repeat(500), 'x'.repeat(500)],
  ['x'.repeat(501), `${'x'.repeat(499)}…`],
] as const)('%j is put on one line', ([text, line]) => {
  expect(toLine(text)).toBe(line);
});

test.for(['Done.', 'Done!', 'Done?', 'Done…', 'Done:'])('"%s" is a sentence already', (text) => {
  expect(toSentence(text)).toBe(text);
  expect(toSentence(`${text})`)).toBe(`${text}).`);
});

test.for([
  [400, 'refused'],
  [401, 'unauthorized'],
  [402, 'refused'],
  [403, 'unauthorized'],
  [404, 'refused'],
  [408, 'unavailable'],
  [409, 'unavailable'],
  [410, 'refused'],
  [425, 'unavailable'],
  [429, 'rateLimited'],
  [499, 'refused'],
  [500, 'unavailable'],
  [529, 'unavailable'],
] as const)('the status %i is %s', ([status, failure]) => {
  expect(failureOfStatus(status)).toBe(failure);
});

test.for<readonly [codes: readonly string[], failure: ModelFailure | null]>([
  [['insufficient_quota', 'billing_hard_limit_reached', 'Billing rate_limit'], 'refused'],
  [
    ['authentication_error', 'permission_denied', 'UNAUTHENTICATED', 'invalid_api_key', 'apikey'],
    'unauthorized',
  ],
  [
    ['rate_limit_error', 'RateLimitExceeded', 'RESOURCE_EXHAUSTED', 'ResourceExhausted', 'too_many_requests'],
    'rateLimited',
  ],
  [['invalid_request_error', 'INVALID_ARGUMENT', 'model_not_found', 'content_filter'], 'refused'],
  [
    [
      'overloaded_error',
      'UNAVAILABLE',
      'server_error',
      'api_error',
      'INTERNAL',
      'timeout',
      'DEADLINE_EXCEEDED',
    ],
    'unavailable',
  ],
  [['', 'other'], null],
])('the codes %j are %s', ([codes, failure]) => {
  expect(codes.map(failureOfCode)).toEqual(codes.map(() => failure));
});

test.for([
  'maximum context length is 8192 tokens',
  'available context size',
  "the model's context window",
  'max prompt length',
  'input context size',
  'context length of only 2048',
  'prompt is too long: 9 tokens',
  'Input is too long for requested model',
  'exceeds the context limit',
  'exceed context window',
  'The input token count (9) exceeds the maximum',
  'token count of 9 exceeds',
  'too many tokens',
  'too many input tokens',
  'exceeds the maximum number of tokens',
  'Please reduce the length of the messages',
  'Request too large for model',
])('a refusal with "%s" is one for the length', (text) => {
  expect(isTooLong({ status: 400, code: '', text })).toBe(true);
  expect(isTooLong({ status: null, code: '', text: text.toUpperCase() })).toBe(true);
  expect([401, 403].map((status) => isTooLong({ status, code: '', text }))).toEqual([false, false]);
});

test.for([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window',
  'request_too_large',
  'Payload Too Large',
  'string_above_max_length',
])('the code %s is one for the length', (code) => {
  expect(isTooLong({ status: 400, code, text: '' })).toBe(true);
});

test('a body that is too large is too long, and other refusals are not', () => {
  expect(isTooLong({ status: 413, code: '', text: '' })).toBe(true);
  expect(isTooLong({ status: 400, code: 'invalid', text: 'The context is wrong.' })).toBe(false);
});

const withCode = (code: unknown, more: object = {}) => Object.assign(new Error('said'), { code, ...more });

test.for([
  ['ECONNREFUSED', 'no server listens there (ECONNREFUSED)'],
  ['ENOTFOUND', 'the host name does not exist (ENOTFOUND)'],
  ['EAI_AGAIN', 'the host name could not be resolved (EAI_AGAIN)'],
  ['ETIMEDOUT', 'no answer in time (ETIMEDOUT)'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no answer in time (UND_ERR_CONNECT_TIMEOUT)'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer in time (UND_ERR_HEADERS_TIMEOUT)'],
  ['UND_ERR_BODY_TIMEOUT', 'no more data arrived in time (UND_ERR_BODY_TIMEOUT)'],
  ['ECONNRESET', 'the connection was closed (ECONNRESET)'],
  ['EPIPE', 'the connection was closed (EPIPE)'],
  ['UND_ERR_SOCKET', 'the connection was closed (UND_ERR_SOCKET)'],
  ['EHOSTUNREACH', 'there is no route to the host (EHOSTUNREACH)'],
  ['ENETUNREACH', 'there is no route to the network (ENETUNREACH)'],
  ['CERT_HAS_EXPIRED', 'said (CERT_HAS_EXPIRED)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'said (ERR_TLS_CERT_ALTNAME_INVALID)'],
  ['ERR_SSL_WRONG_VERSION', 'said (ERR_SSL_WRONG_VERSION)'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'said (DEPTH_ZERO_SELF_SIGNED_CERT)'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'said (SELF_SIGNED_CERT_IN_CHAIN)'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'said (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'],
  ['invalid_request', null],
  ['xECONNRESET', null],
  [7, null],
] as const)('the cause %s of a failed connection is "%s"', ([code, words]) => {
  expect(findNetworkCause(withCode(code))).toBe(words);
  expect(findNetworkCause(new Error('x', { cause: withCode(code) }))).toBe(words);
  expect(findNetworkCause(new AggregateError([null, withCode(code)]))).toBe(words);
});

test('causes in a circle end', () => {
  const circle: Error = withCode('other');
  circle.cause = circle;

  expect([circle, null, 'text'].map(findNetworkCause)).toEqual([null, null, null]);
});

const readWait = (headers: Record<string, string>) => readRetryAfter((name) => headers[name]);

test.for([
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
  [{ 'retry-after-ms': 'soon', 'retry-after': ' 1.5 ' }, 1_500],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
  [{}, null],
] as const)('%j is a wait of %s ms', ([headers, ms]) => {
  expect(readWait(headers)).toBe(ms);
});

test.for([
  ['x y', '1', 'which is not a header name'],
  ['', '1', 'which is not a header name'],
  ['x', 'secret\n', 'whose value is not one line of ASCII'],
  ['x', 'sécret', 'whose value is not one line of ASCII'],
] as const)('the header %j: %j is refused without its value', ([header, value, problem]) => {
  expect(() => checkHeaders({ ok: 'a\tb', [header]: value }, 'createModel')).toThrow(
    `createModel: "headers" has ${JSON.stringify(header)}, ${problem}.`,
  );
});

const parse = (options: object) =>
  parseOptions(openAiOptions, { input: { model: 'm', ...options }, name: 'createOpenAiModel' });
const endpoint =
  'an http or https URL such as "http://127.0.0.1:11434/v1", without a user and "/chat/completions" (where it is left out, OPENAI_BASE_URL is)';

test.for([
  [{ baseUrl: 'ftp://host' }, `"baseUrl" is "ftp://host"; expected ${endpoint}.`],
  [{ baseUrl: 'http://u@host/v1' }, `"baseUrl" is "http://u@host/v1"; expected ${endpoint}.`],
  [{ baseUrl: 'http://:p@host/v1' }, `"baseUrl" is "http://:p@host/v1"; expected ${endpoint}.`],
  [
    { baseUrl: 'http://host/v1/chat/completions/' },
    `"baseUrl" is "http://host/v1/chat/completions/"; expected ${endpoint}.`,
  ],
  [{ baseUrl: 'host' }, `"baseUrl" is "host"; expected ${endpoint}.`],
  [{ temperature: -1 }, '"temperature" is -1; expected at least 0.'],
  [{ idleTimeout: 0 }, '"idleTimeout" is 0; expected more than 0 and at most "5m".'],
  [{ idleTimeout: 300_001 }, '"idleTimeout" is 300001; expected more than 0 and at most "5m".'],
] as const)('the options %j are refused', ([options, problem]) => {
  expect(() => parse(options)).toThrow(`createOpenAiModel: ${problem}`);
});

test('options that are left out have their defaults', () => {
  expect(parse({ baseUrl: 'https://host/v1', idleTimeout: 300_000 })).toEqual({
    ...{ model: 'm', baseUrl: 'https://host/v1', apiKeyVariable: 'OPENAI_API_KEY' },
    ...{ headers: {}, idleTimeout: 300_000, alternation: 'free' },
  });
});

test.for([
  ['http://host/v1/?key=secret', 'http://host/v1'],
  ['http://host', 'http://host'],
  ['http://host:8080/a/b//', 'http://host:8080/a/b'],
] as const)('the address of %s is shown as %s', ([baseUrl, address]) => {
  expect(toAddress({ baseUrl })).toBe(address);
});

test.for([
  ['', {}, '{}'],
  [' \n', {}, '{}'],
  ['{"a": 1}', { a: 1 }, '{"a": 1}'],
  ['[1]', { invalid_arguments: '[1]' }, '{"invalid_arguments":"[1]"}'],
  ['null', { invalid_arguments: 'null' }, '{"invalid_arguments":"null"}'],
  ['7', { invalid_arguments: '7' }, '{"invalid_arguments":"7"}'],
  ['{', { invalid_arguments: '{' }, '{"invalid_arguments":"{"}'],
] as const)('the arguments %j are sent as an object', ([text, input, sent]) => {
  expect([toCallInput(text), toCallInputText(text)]).toEqual([input, sent]);
});

test.for([
  ['run_command-2', 'run_command-2'],
  ['a.b c', 'a_b_c'],
  ['', '_'],
  ['x'.repeat(65), 'x'.repeat(64)],
] as const)('the name %j is sent as %s', ([name, sent]) => {
  expect(toToolName(name)).toBe(sent);
});
