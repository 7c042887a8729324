import { expect, test } from 'vitest';
import { guardRequest } from '../../src/mcp/http/guard-request.ts';
import { parseHttpAddress } from '../../src/mcp/http/http-address.ts';

function statusOf(
  headers: Record<string, string>,
  { at, token = null }: { at: string; token?: string | null },
) {
  const request = new Request('http://127.0.0.1/mcp', { headers });
  return guardRequest(request, { address: parseHttpAddress(at), token })?.status ?? 'passes';
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
  expect(statusOf(headers, { at: '127.0.0.2:7433' })).toBe(expected);
});

test.for([
  [{ host: 'build.example', authorization: 'Bearer abc' }, 'passes'],
  [{ host: 'build.example', authorization: 'bearer abc' }, 'passes'],
  [{ host: 'build.example', authorization: 'Bearer abcd' }, 401],
  [{ host: 'build.example', authorization: 'Basic abc' }, 401],
  [{ host: 'build.example' }, 401],
  [{ host: 'build.example', origin: 'http://localhost', authorization: 'Bearer abc' }, 403],
] as const)('an address that others can reach, %j: %s', ([headers, expected]) => {
  expect(statusOf(headers, { at: '0.0.0.0', token: 'abc' })).toBe(expected);
});
