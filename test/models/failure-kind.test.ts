import { expect, test } from 'vitest';
import { isTooLong } from '../../src/models/endpoint-failure.ts';

test.each<[string, number | null, string]>([
  [
    'OpenAI',
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  ],
  [
    'OpenAI, of input alone',
    400,
    'Input tokens exceed the configured limit of 272000 tokens. Please reduce the length of the messages.',
  ],
  [
    'OpenAI, per minute',
    429,
    'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000.',
  ],
  ['Anthropic', 400, 'prompt is too long: 208310 tokens > 200000 maximum'],
  [
    'Anthropic, with its answer',
    400,
    'input length and `max_tokens` exceed context limit: 199211 + 20000 > 200000',
  ],
  ['Google', 400, 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).'],
  ['Bedrock', null, 'Input is too long for requested model.'],
  ['Mistral', 400, 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
  ['Groq', 400, 'Please reduce the length of the messages or completion.'],
  ['xAI', 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ['llama.cpp', 500, 'the request exceeds the available context size. try increasing the context size'],
  ['LM Studio', 400, 'The model is loaded with context length of only 4096 tokens, which is not enough.'],
  ['a proxy', 413, 'Payload Too Large'],
])('a refusal by %s is known as too long', (_, status, text) => {
  expect(isTooLong({ status, code: '', text })).toBe(true);
});

test.each([
  'context_length_exceeded',
  'exceed_context_size_error',
  'invalid_request_error request_too_large',
])('the code %s is known as too long', (code) => {
  expect(isTooLong({ status: 400, code, text: 'no' })).toBe(true);
});

test.each<[number, string, string]>([
  [
    429,
    'rate_limit_exceeded',
    'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000.',
  ],
  [
    400,
    'invalid_request_error',
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
  ],
  [401, 'invalid_api_key', 'The maximum context length of your key is unknown.'],
  [404, 'model_not_found', 'The model does not exist.'],
])('another refusal is not taken for one: %s %s', (status, code, text) => {
  expect(isTooLong({ status, code, text })).toBe(false);
});
