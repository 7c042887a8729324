import { expect, test } from 'vitest';
import { parseReadiness } from '../../../src/cli/verbs/start/parse-readiness.ts';

test('every readiness condition is parsed', () => {
  const conditions = ['line:up: yes', 'port:3000', 'file:a:b', 'alive:2s', 'http://127.0.0.1:1/x'];

  expect(parseReadiness(conditions, '1m')).toEqual({
    line: 'up: yes',
    port: 3_000,
    file: 'a:b',
    alive: 2_000,
    http: 'http://127.0.0.1:1/x',
    within: 60_000,
  });
});

test.each([
  ['line:/up \\d+/i', { line: /up \d+/i }],
  ['http:http://localhost:1/', { http: 'http://localhost:1/' }],
])('the condition %s is parsed', (text, ready) => {
  expect(parseReadiness([text], undefined)).toEqual(ready);
});

test.each([
  [['soon'], undefined, '--ready is "soon"; expected line:TEXT'],
  [['line:'], undefined, '--ready is "line:"; expected'],
  [['port:70000'], undefined, '--ready port is "70000"; expected a number from 1 to 65535.'],
  [['http:localhost'], undefined, '--ready http is "localhost"; expected an address'],
  [['alive:long'], undefined, '--ready alive is "long"'],
  [['line:/(/'], undefined, '"/(/" is not a regular expression'],
  [['port:1', 'port:2'], undefined, '--ready has port twice'],
  [[], '5s', '--ready-within needs --ready.'],
])('the conditions %j within %s are refused', (conditions, within, words) => {
  expect(() => parseReadiness(conditions, within)).toThrow(words);
});
