import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import type { TroupeError } from '../../src/config/troupe-error.ts';
import { createRequestHandlers } from '../../src/control/answer-request.ts';
import { type FollowItem, MAX_PIECE_BYTES } from '../../src/control/protocol.ts';
import type { Supervisor } from '../../src/supervisor/supervisor.ts';

type Controlled = Parameters<typeof createRequestHandlers>[0];

/** Answers each call of a handle or supervisor with what was called, `[name, ...arguments]`. */
function echo<T extends object>(own: object): T {
  return new Proxy(own, {
    get: (target, name) => Reflect.get(target, name) ?? ((...args: unknown[]) => [name, ...args]),
  }) as T;
}

const signal = new AbortController().signal;

/** The handlers of a supervisor with one process, `tool_a`. */
function arrange({ handle = {}, ...own }: Partial<Controlled> & { handle?: object } = {}) {
  const process = echo<object>({ id: 'tool_a', ...handle });
  const supervisor = echo<Supervisor>({
    id: 'sup_a',
    cwd: '/project',
    get: (id: string) => (id === 'tool_a' ? process : undefined),
    start: (spec: unknown) => ({ view: () => ['started', spec] }),
    schedule: (options: unknown) => ({ id: 'sch_a', owner: 'conv_1', options }),
    isHeard: (owner: string) => owner === 'conv_1',
  });
  const answer = createRequestHandlers({
    ...{ supervisor, role: 'program', redactNames: [], ask: null, attached: null, onShutdown: () => {} },
    ...own,
  });
  const sent: unknown[] = [];
  return {
    sent,
    answer: (method: string, params: unknown, port = { signal }) =>
      answer({ v: 1, id: 1, method, params }, { ...port, send: async (item) => void sent.push(item) }),
  };
}

const id = 'tool_a';

test.each([
  ['hello', {}, { supervisorId: 'sup_a', role: 'program', pid: process.pid, cwd: '/project' }],
  ['list', {}, ['list']],
  ['read', { id, options: { tail: 3 } }, ['read', { tail: 3 }, 'user']],
  ['times', { id }, ['times']],
  ['kill', { id, options: { grace: 5 } }, ['kill', { grace: 5 }]],
  ['write', { id, data: 'bW9pbgo=' }, ['write', Buffer.from('moin\n')]],
  ['endInput', { id }, ['endInput']],
  ['capture', { id, options: { colours: true } }, ['capture', { colours: true }]],
  ['sendKeys', { id, order: { keys: ['Enter'] } }, ['sendKeys', { keys: ['Enter'] }]],
  ['paste', { id, text: 'a' }, ['paste', 'a']],
  ['resize', { id, size: { columns: 9, rows: 3 } }, ['resize', { columns: 9, rows: 3 }]],
  [
    'writeSecret',
    { id, name: 'KEY', value: 's', pressEnter: false },
    ['writeSecret', 'KEY', { value: 's', pressEnter: false, signal }],
  ],
  ['unwatch', { id, owner: 'conv_1' }, ['unwatch', 'tool_a', { owner: 'conv_1' }]],
  ['watches', { owner: 'conv_1' }, ['watches', { owner: 'conv_1' }]],
  [
    'schedule',
    { options: { message: 'x' } },
    { id: 'sch_a', owner: 'conv_1', options: { message: 'x' }, isHeard: true },
  ],
  ['unschedule', { id: 'sch_a' }, ['unschedule', 'sch_a']],
  ['schedules', { process: id }, ['schedules', { process: id }]],
  ['signal', { id, options: { signal: 'SIGHUP' } }, ['signal', { signal: 'SIGHUP' }]],
  ['pause', { id }, ['pause']],
  ['resume', { id }, ['resume']],
  ['restart', { id }, ['restart']],
  ['background', { id }, ['background']],
  ['changeLimits', { id, changes: { timeout: '9s' } }, ['changeLimits', { timeout: '9s' }]],
  ['start', { spec: { command: 'make' } }, ['started', { command: 'make' }]],
  ['sweep', { all: true }, ['sweep', { all: true }]],
])('%s does what its process or supervisor does', async (method, params, called) => {
  expect(await arrange().answer(method, params)).toEqual(called);
});

test('a shown process was asked for its input first', async () => {
  const order: string[] = [];
  const log = (name: string) => () => {
    order.push(name);
    return name;
  };
  const handle = { awaitedInput: log('input'), view: log('view'), timeline: log('timeline') };

  expect(await arrange({ handle }).answer('show', { id })).toEqual({ view: 'view', timeline: 'timeline' });
  expect(order).toEqual(['input', 'view', 'timeline']);
});

test('names to redact are globs', async () => {
  const { answer } = arrange({ redactNames: ['*_KEY', '.SECRET*'] });
  const env = { A_KEY: '1', '.SECRET_B': '2', KEYS: '3' };

  const [, spec] = (await answer('start', { spec: { command: 'make' }, env })) as [string, { env: object }];

  expect(spec.env).toMatchObject({ A_KEY: null, '.SECRET_B': null, KEYS: '3' });
});

const withoutMcp = `The program with pid ${process.pid} does not serve the Model Context Protocol on its control socket; the daemon of \`troupe serve\` does.`;
const refusals: readonly (readonly [string, object, string, string])[] = [
  ['show', { id: 'tool_b' }, 'not-found', 'Process "tool_b" is not one of supervisor sup_a.'],
  ['askPermission', { question: {} }, 'protocol', `The program with pid ${process.pid} cannot ask a person.`],
  ['mcp', {}, 'protocol', withoutMcp],
  ['mcpMessage', {}, 'protocol', withoutMcp],
  [
    'shutdown',
    {},
    'protocol',
    `This supervisor is part of the program with pid ${process.pid}: end that program instead.`,
  ],
];

test.each(refusals)('%s is refused by a program that cannot do it', async (method, params, code, message) => {
  const { answer } = arrange();

  const refusal = await (async () => answer(method, params))().catch((error: TroupeError) => [
    error.code,
    error.message,
  ]);

  expect(refusal).toEqual([code, message]);
});

test('questions, clients and the end reach their receivers', async () => {
  let shutdowns = 0;
  const attached = echo<NonNullable<Controlled['attached']>>({});
  const { answer } = arrange({
    role: 'daemon',
    ask: (async (question: unknown, within: unknown) => [question, within]) as never,
    attached,
    onShutdown: () => {
      shutdowns += 1;
    },
  });

  expect(await answer('askPermission', { question: 'may I?' })).toEqual(['may I?', signal]);
  expect(await answer('mcp', { name: 'x' })).toMatchObject(['serve', { name: 'x' }, { signal }]);
  expect(await answer('mcpMessage', { channel: 'c' })).toEqual(['receive', { channel: 'c' }]);
  expect(await answer('shutdown', {})).toBeUndefined();
  expect(shutdowns).toBe(1);
});

test('output is followed in pieces of a bounded size, with its gaps', async () => {
  const asked: unknown[] = [];
  async function* output(options: unknown) {
    asked.push(options);
    const bytes = Buffer.alloc(MAX_PIECE_BYTES + 3, 'a');
    yield { type: 'gap', from: 0, to: 5, droppedBytes: 5, stream: 'stdout' };
    yield { type: 'chunk', stream: 'stderr', offset: 5, bytes: bytes.subarray(0, MAX_PIECE_BYTES) };
    yield { type: 'chunk', stream: 'stdout', offset: 100, bytes };
  }
  const { answer, sent } = arrange({ handle: { output } });

  expect(await answer('follow', { id, from: 2 })).toBeNull();

  expect(asked).toEqual([{ from: 2, signal }]);
  const sizes = sent.map((item) => ({
    ...(item as FollowItem),
    bytes: atob((item as FollowItem).bytes).length,
  }));
  expect(sizes).toEqual([
    { stream: 'stdout', offset: 5, droppedBytes: 5, bytes: 0 },
    { stream: 'stderr', offset: 5, droppedBytes: 0, bytes: MAX_PIECE_BYTES },
    { stream: 'stdout', offset: 100, droppedBytes: 0, bytes: MAX_PIECE_BYTES },
    { stream: 'stdout', offset: 100 + MAX_PIECE_BYTES, droppedBytes: 0, bytes: 3 },
  ]);
});

test('a wait ends with the process', async () => {
  const status$ = new Subject<string>();
  const abort = new AbortController();
  const { answer } = arrange({ handle: { status$, ended: Promise.resolve('the end') } });

  const waited = answer('wait', { id }, { signal: abort.signal });
  status$.complete();

  expect(await waited).toBe('the end');
});

test('a wait whose client leaves observes its process no longer', async () => {
  const status$ = new Subject<string>();
  const abort = new AbortController();
  const { answer } = arrange({ handle: { status$, ended: new Promise(() => {}) } });

  const waited = answer('wait', { id }, { signal: abort.signal }) as Promise<unknown>;
  const wasObserved = status$.observed;
  abort.abort('left');

  expect(await waited.catch((reason) => reason)).toBe('left');
  expect([wasObserved, status$.observed]).toEqual([true, false]);
});
