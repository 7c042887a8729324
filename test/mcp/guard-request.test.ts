import { expect, test } from 'vitest';
import { guardRequest } from '../../src/mcp/http/guard-request.ts';

function statusOf(headers: Record<string, string>, guard: Partial<Parameters<typeof guardRequest>[1]>) {
  const request = new Request('http://127.0.0.1/mcp', { headers });
  return guardRequest(request, { hosts: [], origins: [], token: null, ...guard })?.status ?? 'passes';
}

test.for([
  [{ host: 'localhost:7433' }, 'passes'],
  [{ host: '[::1]:7433' }, 'passes'],
  [{ host: '127.0.0.2' }, 'passes'],
  [{ host: '127.0.0.3' }, 403],
  [{ host: 'localhost.evil.example' }, 403],
  [{}, 403],
  [{ host: 'localhost', origin: 'http://127.0.0.1:3000' }, 'passes'],
  [{ host: 'localhost', origin: 'http://127.0.0.1.evil.example' }, 403],
  [{ host: 'localhost', origin: 'file://' }, 403],
] as const)('on the loopback %j: %s', ([headers, expected]) => {
  expect(statusOf(headers, { hosts: ['127.0.0.2'] })).toBe(expected);
});

test.for([
  [{ host: 'build.example', authorization: 'Bearer abc' }, 'passes'],
  [{ host: 'build.example', authorization: 'bearer abc' }, 'passes'],
  [{ host: 'build.example', authorization: 'Bearer abcd' }, 401],
  [{ host: 'build.example', authorization: 'Basic abc' }, 401],
  [{ host: 'build.example' }, 401],
  [{ host: 'build.example', origin: 'http://localhost', authorization: 'Bearer abc' }, 403],
] as const)('an address that others can reach, %j: %s', ([headers, expected]) => {
  expect(statusOf(headers, { hosts: 'any', token: 'abc' })).toBe(expected);
});

test.for([
  ['https://app.example', 'passes'],
  ['https://app.example:8443', 403],
  ['http://app.example', 403],
  ['https://evil.app.example', 403],
  ['http://localhost:3000', 403],
] as const)('a named origin is let in exactly, %s: %s', ([origin, expected]) => {
  const guard = { hosts: ['build.example'], origins: ['https://app.example'] };

  expect(statusOf({ host: 'build.example', origin }, guard)).toBe(expected);
});
