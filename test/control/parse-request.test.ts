import { expect, test } from 'vitest';
import { parseRequest } from '../../src/control/parse-request.ts';

const parse = (text: string) => parseRequest(Buffer.from(text));

/** Returns the params of a valid request, or the refusal. */
function paramsOf(method: string, params: unknown): unknown {
  const parsed = parse(JSON.stringify({ v: 1, id: 1, method, params }));
  return parsed.type === 'request' ? parsed.request.params : parsed.error.message;
}

const malformed = {
  type: 'malformed',
  code: 'protocol',
  message:
    'This is a control socket of troupe: it takes JSON lines such as {"v":1,"id":1,"method":"list"}. The connection is closed.',
};

test.each([
  '',
  'moin',
  'null',
  '7',
  '"list"',
  '{}',
  '{"v":1,"id":"1","method":"list"}',
  '{"v":1,"id":1.5,"method":"list"}',
  '{"v":1,"id":9007199254740993,"method":"list"}',
  '{"v":1,"id":1}',
  '{"v":1,"id":1,"method":7}',
])('the line %s is malformed', (line) => {
  const parsed = parse(line);

  const { code, message } = parsed.type === 'request' ? { code: null, message: null } : parsed.error;
  expect({ type: parsed.type, code, message }).toEqual(malformed);
});

test('a request without params has empty ones', () => {
  expect(parse('{"v":1,"id":4,"method":"list"}')).toEqual({
    type: 'request',
    request: { v: 1, id: 4, method: 'list', params: {} },
  });
});

test.each([
  {
    title: 'of another version',
    line: { v: 2, id: 4, method: 'list' },
    message: `The supervisor (pid ${process.pid}) speaks version 1 of the control protocol, the other side version 2. Use the same troupe on both sides: end the older program, or install the version it was started with.`,
  },
  {
    title: 'with a misspelt method',
    line: { v: 1, id: 4, method: 'shw' },
    message: 'There is no request "shw". Did you mean "show"?',
  },
  {
    title: 'with a method of every object',
    line: { v: 1, id: 4, method: 'toString' },
    message:
      'There is no request "toString". Known: hello, list, show, read, times, follow, wait, waitFor, kill, write, endInput, capture, sendKeys, paste, resize, writeSecret, watch, events, unwatch, watches, schedule, unschedule, schedules, signal, pause, resume, restart, background, changeLimits, start, askPermission, mcp, mcpMessage, sweep, shutdown, cancel.',
  },
])('a request $title is refused with its number', ({ line, message }) => {
  const parsed = parse(JSON.stringify(line));

  expect(parsed).toMatchObject({ type: 'refused', id: 4, error: { code: 'protocol' } });
  expect(parsed.type === 'refused' && parsed.error.message).toBe(message);
});

test.each([
  ['follow', { id: 'tool_a' }, { id: 'tool_a', from: 0 }],
  ['read', { id: 'tool_a' }, { id: 'tool_a', options: {} }],
  ['kill', { id: 'tool_a' }, { id: 'tool_a', options: {} }],
  ['waitFor', { id: 'tool_a' }, { id: 'tool_a', options: {} }],
  ['watch', { id: 'tool_a' }, { id: 'tool_a', options: {} }],
  ['watches', { owner: 'conv_1', process: 'tool_a' }, { owner: 'conv_1', process: 'tool_a' }],
  ['unwatch', { id: 'tool_a' }, { id: 'tool_a' }],
  ['events', { since: 0 }, { since: 0 }],
  ['writeSecret', { id: 'tool_a', name: 'KEY' }, { id: 'tool_a', name: 'KEY', pressEnter: true }],
  ['schedule', { options: { message: 'x', after: '5m' } }, { options: { message: 'x', after: '5m' } }],
  ['schedule', { options: { message: 'x', every: 60_000 } }, { options: { message: 'x', every: 60_000 } }],
  ['start', { spec: { command: 'make' } }, { spec: { command: 'make' } }],
  ['sweep', {}, { all: false }],
  ['cancel', { request: 3 }, { request: 3 }],
])('%s takes %j', (method, params, taken) => {
  expect(paramsOf(method, params)).toMatchObject(taken);
});

test.each([
  ['list', { x: 1 }],
  ['show', { id: '' }],
  ['show', { id: 'x'.repeat(201) }],
  ['follow', { id: 'tool_a', from: -1 }],
  ['follow', { id: 'tool_a', from: 1.5 }],
  ['write', { id: 'tool_a', data: 'no base64!' }],
  ['writeSecret', { id: 'tool_a', name: '' }],
  ['writeSecret', { id: 'tool_a', name: 'x'.repeat(201) }],
  ['writeSecret', { id: 'tool_a', name: 'KEY', value: '' }],
  ['watch', { id: 'tool_a', options: { owner: 'conv_1' } }],
  ['watches', { owner: '' }],
  ['watches', { owner: 'x'.repeat(201) }],
  ['events', { since: -1 }],
  ['schedule', { options: { message: '' } }],
  ['start', {}],
  ['start', { spec: {}, env: { A: 1 } }],
  ['mcp', { name: '', cwd: '/', tools: '', policy: {}, version: '1', env: {} }],
  ['mcp', { name: 'x'.repeat(101), cwd: '/', tools: '', policy: {}, version: '1', env: {} }],
  ['mcp', { name: 'x', cwd: '', tools: '', policy: {}, version: '1', env: {} }],
  ['mcpMessage', { channel: '', message: {} }],
  ['sweep', { all: 'yes' }],
  ['cancel', { request: '3' }],
])('%s refuses %j', (method, params) => {
  expect(paramsOf(method, params)).toMatch(new RegExp(`^${method}: `));
});
