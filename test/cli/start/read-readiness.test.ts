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

const expected = 'expected line:TEXT, line:/EXPRESSION/, port:NUMBER, http:URL, file:PATH or alive:DURATION.';

test.each([
  [['soon'], undefined, `--ready is "soon"; ${expected}`],
  [['line:'], undefined, `--ready is "line:"; ${expected}`],
  [['file:'], undefined, `--ready is "file:"; ${expected}`],
  [['pid:7'], undefined, `--ready is "pid:7"; ${expected}`],
  [['port:70000'], undefined, '--ready port is "70000"; expected a number from 1 to 65535.'],
  [
    ['http:localhost'],
    undefined,
    '--ready http is "localhost"; expected an address such as http://127.0.0.1:3000/.',
  ],
  [
    ['alive:long'],
    undefined,
    '--ready alive is "long"; expected seconds, or a duration such as 500ms, 30s, 5m.',
  ],
  [['port:1'], 'long', '--ready-within is "long"; expected seconds, or a duration such as 500ms, 30s, 5m.'],
  [
    ['line:/(/'],
    undefined,
    '"/(/" is not a regular expression: Invalid regular expression: /(/: Unterminated group.',
  ],
  [['port:1', 'port:2'], undefined, '--ready has port twice; give each kind once.'],
  [['http:http://a/', 'http://b/'], undefined, '--ready has http twice; give each kind once.'],
  [[], '5s', '--ready-within needs --ready.'],
])('the conditions %j within %s are refused', (conditions, within, message) => {
  expect(() => parseReadiness(conditions, within)).toThrow(
    expect.objectContaining({ code: 'invalid-option', message }),
  );
});

test('without conditions there is nothing to wait for', () => {
  expect(parseReadiness([], undefined)).toBeNull();
  expect(parseReadiness(['https://a/'], undefined)).toEqual({ http: 'https://a/' });
});
