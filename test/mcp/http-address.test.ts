import { expect, test } from 'vitest';
import { formatAddress, isLoopback, parseHttpAddress } from '../../src/mcp/http/http-address.ts';

test.for([
  ['8080', '127.0.0.1:8080'],
  [':8080', '127.0.0.1:8080'],
  ['localhost', 'localhost:7433'],
  ['127.0.0.1:8080', '127.0.0.1:8080'],
  ['[::1]:8080', '[::1]:8080'],
  ['[::1]', '[::1]:7433'],
  ['0.0.0.0:0', '0.0.0.0:0'],
] as const)('%s stands for %s', ([text, address]) => {
  expect(formatAddress(parseHttpAddress(text))).toBe(address);
});

test.for(['', 'http://localhost', 'localhost:99999', 'a b', '::1', '/tmp/socket'])(
  '%j is no address',
  (text) => {
    expect(() => parseHttpAddress(text)).toThrow(/The address .* is not valid/);
  },
);

test.for([
  ['localhost', true],
  ['127.0.0.2', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['[::]', false],
  ['192.168.1.2', false],
  ['example.org', false],
] as const)('%s on this machine only: %s', ([text, expected]) => {
  expect(isLoopback(parseHttpAddress(text))).toBe(expected);
});
