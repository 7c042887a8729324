import { expect, test } from 'vitest';
import {
  collect,
  parseDuration,
  parseEndingSignal,
  parseLimit,
  parsePattern,
  parsePort,
  parseRestart,
  parseSignal,
  parseSize,
  parseUrl,
} from '../../src/cli/flag-values.ts';

type Parse = (text: string, flag: string) => unknown;

const parsers = {
  duration: parseDuration,
  limit: parseLimit,
  port: parsePort,
  url: parseUrl,
  size: parseSize,
  pattern: parsePattern,
  signal: parseSignal,
  ending: parseEndingSignal,
  restart: parseRestart,
} as const satisfies Record<string, Parse>;

test.each<[keyof typeof parsers, string, unknown]>([
  ['duration', '3', 3_000],
  ['duration', '1.5', 1_500],
  ['duration', '12.25', 12_250],
  ['duration', '500ms', 500],
  ['duration', '5m', 300_000],
  ['limit', 'none', 0],
  ['limit', '2', 2_000],
  ['port', '1', 1],
  ['port', '65535', 65_535],
  ['url', 'http://127.0.0.1:3000/', 'http://127.0.0.1:3000/'],
  ['url', 'https://a.b', 'https://a.b'],
  ['size', '120x40', { columns: 120, rows: 40 }],
  ['size', ' 2X1 ', { columns: 2, rows: 1 }],
  ['size', '1000x1000', { columns: 1_000, rows: 1_000 }],
  ['pattern', 'a/b', 'a/b'],
  ['pattern', '/a.b/', /a.b/],
  ['pattern', '/a\nb/is', /a\nb/is],
  ['pattern', '//', '//'],
  ['signal', 'TERM', 'SIGTERM'],
  ['signal', 'sigint', 'SIGINT'],
  ['signal', '9', 'SIGKILL'],
  ['signal', 'RTMIN+1', 'SIGRTMIN+1'],
  ['ending', 'hup', 'SIGHUP'],
  ['restart', 'never', 'temporary'],
  ['restart', 'no', 'temporary'],
  ['restart', 'on-failure', 'transient'],
  ['restart', 'always', 'permanent'],
  ['restart', 'temporary', 'temporary'],
  ['restart', 'transient', 'transient'],
  ['restart', 'permanent', 'permanent'],
])('the %s %j is read', (name, text, value) => {
  expect((parsers[name] as Parse)(text, '--flag')).toEqual(value);
});

const expectsDuration = 'expected seconds, or a duration such as 500ms, 30s, 5m.';
const expectsPort = 'expected a number from 1 to 65535.';
const expectsUrl = 'expected an address such as http://127.0.0.1:3000/.';
const expectsSize = 'expected columns and rows such as 120x40, 2 to 1000 columns and 1 to 1000 rows.';

test.each<[keyof typeof parsers, string, string]>([
  ['duration', 'soon', `--flag is "soon"; ${expectsDuration}`],
  ['duration', '1.', `--flag is "1."; ${expectsDuration}`],
  ['duration', '-1', `--flag is "-1"; ${expectsDuration}`],
  ['limit', 'never', `--flag is "never"; ${expectsDuration}`],
  ['port', '0', `--flag is "0"; ${expectsPort}`],
  ['port', '65536', `--flag is "65536"; ${expectsPort}`],
  ['port', '80a', `--flag is "80a"; ${expectsPort}`],
  ['port', 'x80', `--flag is "x80"; ${expectsPort}`],
  ['url', 'localhost:3000', `--flag is "localhost:3000"; ${expectsUrl}`],
  ['url', 'http://', `--flag is "http://"; ${expectsUrl}`],
  ['url', 'ws+http://a', `--flag is "ws+http://a"; ${expectsUrl}`],
  ['size', '1x1', `--flag is "1x1"; ${expectsSize}`],
  ['size', '2x0', `--flag is "2x0"; ${expectsSize}`],
  ['size', '1001x40', `--flag is "1001x40"; ${expectsSize}`],
  ['size', '80x1001', `--flag is "80x1001"; ${expectsSize}`],
  ['size', '80x24x1', `--flag is "80x24x1"; ${expectsSize}`],
  ['size', 'a80x24', `--flag is "a80x24"; ${expectsSize}`],
  [
    'pattern',
    '/(/',
    '"/(/" is not a regular expression: Invalid regular expression: /(/: Unterminated group.',
  ],
  ['signal', 'TEMR', '--flag is "TEMR", and there is no such signal. Did you mean SIGTERM?'],
  ['signal', '999', '--flag is "999", and there is no such signal. kill -l lists them.'],
  [
    'ending',
    'STOP',
    '--flag is "STOP"; a kill begins with a signal that ends a program, such as TERM, INT or HUP. To send STOP without ending the process: troupe signal <id> STOP.',
  ],
  ['restart', 'alwyas', '--flag is "alwyas"; expected never, on-failure or always. Did you mean always?'],
  ['restart', 'toString', '--flag is "toString"; expected never, on-failure or always.'],
])('the %s %j is refused with the flag, the value and the way out', (name, text, message) => {
  expect(() => (parsers[name] as Parse)(text, '--flag')).toThrow(
    expect.objectContaining({ code: 'invalid-option', message }),
  );
});

test('a repeated flag collects its values in order', () => {
  expect(collect('b', collect('a'))).toEqual(['a', 'b']);
});
