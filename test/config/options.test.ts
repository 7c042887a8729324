import { expect, test } from 'vitest';
import type { z } from 'zod';
import { abortOptions } from '../../src/config/abort-signal.ts';
import { agentFileSchema } from '../../src/config/agent-file-schema.ts';
import {
  conversationOptions,
  finishOptions,
  notification,
  saying,
  shortenOptions,
} from '../../src/config/conversation-options.ts';
import { leaveOptions } from '../../src/config/leave-options.ts';
import { parseOptions } from '../../src/config/parse-options.ts';
import { policyOptions } from '../../src/config/policy-options.ts';
import { killOptions, limitChanges } from '../../src/config/process-order-options.ts';
import { commandSpec, functionSpec } from '../../src/config/process-spec.ts';
import { outputIterationOptions, readOptions } from '../../src/config/read-options.ts';
import { scheduleOptions } from '../../src/config/schedule-options.ts';
import { supervisorOptions } from '../../src/config/supervisor-options.ts';
import { captureOptions, keyInput, pasteOptions, terminalSize } from '../../src/config/terminal-options.ts';
import { toolHostOptions } from '../../src/config/tool-host-options.ts';
import { waitOptions } from '../../src/config/wait-options.ts';
import { notificationFilter, watchCall, watchOptions, watchOwner } from '../../src/config/watch-options.ts';
import { workerModule } from '../../src/config/worker-module.ts';

const work = () => {};
const model = { name: 'demo', stream: work };
const supervisor = { start: work, list: work, kill: work };
const clock = { nowMs: work, at: work };
const host = { start: work, list: work, mailbox: work };
const day = 86_400_000;

/** The smallest value that each schema accepts, and what it becomes. */
const defaults: readonly (readonly [string, z.ZodType, object, object])[] = [
  ['abort', abortOptions, {}, { onAbort: 'detach' }],
  [
    'conversation',
    conversationOptions,
    { supervisor, model },
    {
      ...{ supervisor, model, maxSteps: 50, maxParallelTools: 5 },
      retry: { maxRetries: 3, minBackoff: 1_000, maxNoticeRetries: 20 },
    },
  ],
  [
    'notification',
    notification,
    { id: 'a', source: 'ci', text: '' },
    { id: 'a', source: 'ci', text: '', attention: 'turn' },
  ],
  ['finish', finishOptions, { background: 'kill' }, { background: 'kill', wait: 60_000 }],
  ['leave', leaveOptions, {}, { onLeave: 'kill' }],
  ['kill', killOptions, {}, { signal: 'SIGTERM', by: 'user' }],
  ['changed limits', limitChanges, {}, {}],
  ['iteration', outputIterationOptions, {}, { lossless: false }],
  ['read', readOptions, {}, {}],
  ['capture', captureOptions, {}, { scrollbackLines: 0, withDrawing: false }],
  ['keys', keyInput, {}, { text: '', paste: false, keys: [], pressEnter: false }],
  [
    'wait',
    waitOptions,
    {},
    { exit: false, ready: false, input: false, mode: 'any', from: 'start', onAbort: 'detach' },
  ],
  ['watch', watchOptions, {}, {}],
  ['tool host', toolHostOptions, { supervisor: host }, { supervisor: host, notices: 'next-step' }],
  ['agent', agentFileSchema, { name: 'a', model: {} }, { name: 'a', model: {} }],
  [
    'policy',
    policyOptions,
    {},
    {
      ...{ mode: 'default', permissions: {}, tools: {}, commands: { allow: [], deny: [] }, rules: {} },
      ...{
        restrictToWorkspace: false,
        extraPaths: [],
        sandboxNetwork: 'open',
        sandboxRead: [],
        askTimeout: 300_000,
      },
    },
  ],
  [
    'command',
    commandSpec,
    { command: ' make ' },
    {
      ...{ command: 'make', kind: 'tool', metadata: {}, leftovers: 'keep', logFile: true, onAbort: 'kill' },
      restart: {
        ...{ policy: 'temporary', maxRestarts: 5, within: 60_000 },
        ...{ minBackoff: 500, maxBackoff: 30_000, healthyAfter: 60_000 },
      },
      ...{ env: {}, secrets: {}, stdin: 'end', interactive: false, size: { columns: 80, rows: 24 } },
      ...{ onDuplicate: 'allow', force: false },
    },
  ],
  [
    'supervisor',
    supervisorOptions,
    {},
    {
      ...{ timeout: 30_000, onTimeout: 'background', maxExecutionTime: 300_000, maxBackgroundTime: 0 },
      ...{ killGrace: 5_000, drainQuiet: 100, drainMax: 2_000, notifyAfterSilence: 300_000, notifyAfter: 0 },
      ...{ maxBufferBytes: 1_048_576, headBytes: 65_536, maxLogBytes: 67_108_864, maxReplyBytes: 32_768 },
      ...{ stateDirectory: '.troupe', owner: 'user', env: {}, lifetime: 'session' },
      redactNames: expect.arrayContaining(['*_TOKEN', '*_SECRET', '*_API_KEY']),
      hints: { pager: true, gitPrompt: true, term: true },
      ...{ maxParallelTools: 5, maxParallelAgents: 3, maxBackgroundProcesses: 10, terminal: 'auto' },
      ...{
        secrets: {},
        shutdownGrace: 3_000,
        retention: 1_800_000,
        maxFinished: 1_000,
        logRetention: 7 * day,
      },
      ...{ modes: {}, timeouts: {} },
      forceBackgroundPatterns: ['server__*', 'docker__run*', '*__serve*', '*__start_server*'],
      forceSyncPatterns: ['files__read_file', 'files__write_file'],
      ...{ cgroups: true, starter: 'auto', handleSignals: false, recover: true, control: true },
    },
  ],
];

test.each(defaults)('the options of a %s have their defaults', (_, schema, given, complete) => {
  expect(schema.parse(given)).toMatchObject(complete);
});

/** For an option, values that are accepted beside the given ones, and values that are refused. */
type Case = readonly [
  schema: string,
  option: string,
  accepted: readonly unknown[],
  refused: readonly unknown[],
];

const durations = [
  [0, '5m'],
  [-1, 'soon', true],
] as const;
const texts = [['a'], ['', 7]] as const;
const flags = [
  [true, false],
  ['yes', 1],
] as const;
const counts = [
  [0, 7],
  [-1, 1.5, '1'],
] as const;
const positions = { stdout: 0, stderr: 0, screen: 0 };

const cases: readonly Case[] = [
  ...[
    'timeout',
    'maxExecutionTime',
    'maxBackgroundTime',
    'killGrace',
    'drainQuiet',
    'drainMax',
    'notifyAfterSilence',
    'notifyAfter',
  ].flatMap((name): readonly Case[] => [
    ['supervisor', name, ...durations],
    ['command', name, ...durations],
  ]),
  ...['timeout', 'maxExecutionTime', 'maxBackgroundTime'].map(
    (name): Case => ['changed limits', name, ...durations],
  ),
  ...['shutdownGrace', 'retention', 'logRetention'].map((name): Case => ['supervisor', name, ...durations]),
  ['supervisor', 'onTimeout', ['background', 'kill', 'wait'], ['stop']],
  ['supervisor', 'maxBufferBytes', [1_024], [1_023, 1_024.5]],
  ['supervisor', 'headBytes', [0], [-1]],
  ['supervisor', 'maxLogBytes', [4_096], [4_095]],
  ['supervisor', 'maxReplyBytes', [256], [255]],
  ['supervisor', 'cwd', ...texts],
  ['supervisor', 'shell', ...texts],
  ['supervisor', 'stateDirectory', ['a', false], ['', true]],
  ['supervisor', 'lifetime', ['session', 'parent', 'persistent'], ['forever']],
  ['supervisor', 'depth', ...counts],
  ['supervisor', 'maxParallelTools', [1], [0]],
  ['supervisor', 'maxParallelAgents', [1], [0]],
  ['supervisor', 'maxBackgroundProcesses', ...counts],
  ['supervisor', 'maxFinished', ...counts],
  ['supervisor', 'terminal', ['auto', 'tmux', 'pty', 'none'], ['screen']],
  ['supervisor', 'askSecret', [work], ['a']],
  ['supervisor', 'modes', [{ a: 'background', b: 'sync', c: 'auto' }], [{ a: 'x' }]],
  ['supervisor', 'timeouts', [{ a: '5s' }], [{ a: 'x' }]],
  ['supervisor', 'cgroups', ...flags],
  ['supervisor', 'control', ...flags],
  ['supervisor', 'recover', [true, false, { owner: 'a' }], [{ owner: '' }, {}]],
  ['supervisor', 'records', [{ save: work }], [{}, null]],
  ['supervisor', 'wrapBackend', [work], [{}]],
  ['supervisor', 'inspect', [work, { next: work }], [{}, null]],
  ['supervisor', 'hints', [{}, { pager: false }], [{ pager: 1 }, { colour: true }]],
  ['command', 'command', ['a', ['a'], ['a', '']], ['', ' ', [], [''], ['a', 1]]],
  ['command', 'wrappedCommand', [['a'], ['a', 'b']], [[], [''], 'a']],
  ['command', 'id', ['a', 'A_-9', 'a'.repeat(64)], ['', 'a b', 'a'.repeat(65), '../a']],
  ['command', 'kind', ['tool', 'agent', 'service'], ['daemon']],
  ...['label', 'owner', 'tool', 'callId', 'cwd', 'shell'].map((name): Case => ['command', name, ...texts]),
  ['command', 'lifetime', ['session', 'parent', 'persistent'], ['forever']],
  ['command', 'leftovers', ['keep', 'kill'], ['x']],
  ['command', 'background', ...flags],
  ['command', 'logFile', ...flags],
  ['command', 'interactive', ...flags],
  ['command', 'force', ...flags],
  ['command', 'signal', [new AbortController().signal], [{}]],
  ['command', 'onAbort', ['kill', 'detach'], ['x']],
  ['command', 'cwdFile', ['/a'], ['a', '']],
  ['command', 'env', [{ A: 'b', B: null, C: undefined }], [{ A: 1 }]],
  ['command', 'secrets', [{ A: 'b' }], [{ A: '' }, { A: null }]],
  ['command', 'stdin', ['end', 'pipe'], ['x']],
  [
    'command',
    'input',
    ['', new Uint8Array(1), new ReadableStream(), (async function* () {})()],
    [7, null, {}],
  ],
  [
    'command',
    'size',
    [
      { columns: 2, rows: 1 },
      { columns: 1_000, rows: 1_000 },
    ],
    [{ columns: 1 }, { rows: 0 }, { columns: 1_001 }, { rows: 1_001 }],
  ],
  ['command', 'hints', [{}, { term: false }], [{ term: 1 }, { colour: true }]],
  ['command', 'onDuplicate', ['allow', 'join', 'refuse'], ['x']],
  ['command', 'maxBufferBytes', [1_024], [1_023]],
  ['command', 'headBytes', [0], [-1]],
  ['command', 'maxLogBytes', [4_096], [4_095]],
  [
    'command',
    'restart',
    [{ policy: 'permanent' }, { policy: 'transient', maxRestarts: 0 }],
    [{ policy: 'x' }, { maxRestarts: -1 }, { minBackoff: 'x' }, { often: 1 }],
  ],
  [
    'command',
    'ready',
    [
      { line: 'up' },
      { line: /up/ },
      { port: 1 },
      { port: 65_535 },
      { http: 'http://a/' },
      { file: 'a' },
      { alive: '1s', within: 5 },
    ],
    [
      { line: '' },
      { port: 0 },
      { port: 65_536 },
      { http: 'a' },
      { file: '' },
      { alive: 'x' },
      { lines: 'a' },
    ],
  ],
  ['kill', 'signal', ['SIGKILL', 'SIGUSR1'], ['KILL', 9]],
  ['kill', 'grace', ...durations],
  ['kill', 'by', ['agent', 'user', 'supervisor', 'owner'], ['me']],
  ['abort', 'onAbort', ['kill', 'detach'], ['x']],
  ['abort', 'signal', [new AbortController().signal], ['x']],
  ['leave', 'onLeave', ['kill', 'detach'], ['x']],
  ['conversation', 'supervisor', [supervisor], [{ start: work, list: work }, null]],
  ['conversation', 'model', [model], [{ name: 'a' }]],
  ['conversation', 'id', ['a', 'A_-9', 'a'.repeat(64)], ['', 'a b', 'a'.repeat(65)]],
  ['conversation', 'agent', ...texts],
  ['conversation', 'parent', ...texts],
  ['conversation', 'tools', [[], [{ prepare: work }]], [[{}], {}]],
  ['conversation', 'maxSteps', [1], [0, 1.5]],
  ['conversation', 'maxParallelTools', [1], [0]],
  [
    'conversation',
    'retry',
    [{}, { maxRetries: 0, minBackoff: 0, maxNoticeRetries: 0 }],
    [{ maxRetries: -1 }, { maxNoticeRetries: -1 }, { tries: 1 }],
  ],
  ['conversation', 'maxMessages', [10], [9]],
  ['conversation', 'maxContextTokens', [1_000], [999]],
  ['conversation', 'journal', [{ read: work, append: work, close: work }], [{ read: work, append: work }]],
  ['conversation', 'clock', [clock], [{ nowMs: work }]],
  ...['ask', 'attention', 'compact', 'onEvent'].map((name): Case => ['conversation', name, [work], ['a']]),
  ['notification', 'id', ['a'.repeat(256)], ['', 'a'.repeat(257)]],
  ['notification', 'source', ...texts],
  ['notification', 'attention', ['turn', 'context', 'ignore'], ['x']],
  ['finish', 'background', ['wait', 'kill'], ['x', undefined]],
  ['finish', 'wait', ...durations],
  ['saying', 'text', ['a'], ['', ' \n', 7]],
  ['shorten', 'keepMessages', ...counts],
  ...['since', 'tail', 'lines', 'offset', 'limit', 'context'].map(
    (name): Case => [
      'read',
      name,
      ...(counts.map((each) => each.filter((value) => typeof value === 'number')) as [number[], number[]]),
    ],
  ),
  ['read', 'since', ['last', positions], ['first', { stdout: 0 }]],
  ['read', 'stream', ['stdout', 'stderr', 'screen', 'both'], ['all']],
  ['read', 'format', ['plain', 'raw'], ['x']],
  ['read', 'maxBytes', [1], [0]],
  ['iteration', 'from', ...counts],
  ['iteration', 'stream', ['stdout', 'stderr', 'screen'], ['both']],
  ['capture', 'scrollbackLines', [0, 100_000], [-1, 100_001]],
  ['size', 'columns', [2, 1_000], [1, 1_001, undefined]],
  ['size', 'rows', [1, 1_000], [0, 1_001, undefined]],
  ['paste', 'text', ['', 'a'], [7]],
  ['wait', 'text', ...texts],
  ['wait', 'pattern', ...texts],
  ['wait', 'file', ...texts],
  ['wait', 'quiet', ...durations],
  ['wait', 'timeout', ...durations],
  ['wait', 'port', [1, 65_535], [0, 65_536]],
  ['wait', 'portFree', [1, 65_535], [0, 65_536]],
  ['wait', 'http', ['http://a', 'https://a/b'], ['a', 'ftp://a', 'xhttp://a', 'https2://a']],
  ['wait', 'mode', ['any', 'all'], ['x']],
  ['wait', 'from', ['start', 'now', 0, positions], ['end', -1, { stdout: 0 }]],
  ['wait', 'clock', [clock], [{}, null]],
  ['watch', 'owner', ...texts],
  ['watch', 'quiet', [100], [99]],
  ['watch', 'pattern', ['a', 'a'.repeat(4_000)], ['', 'a'.repeat(4_001), '(']],
  ['watch', 'onOver', [work], ['a']],
  ['watched process', 'id', ['a', ''], [7, undefined]],
  ['owner of watches', 'owner', ...texts],
  ['filter', 'process', ['a', ''], [7]],
  ['schedule', 'after', [0, 3_650 * day], [3_660 * day, -1]],
  ['schedule', 'message', ['a'.repeat(65_536)], ['', ' ', 'ä'.repeat(32_769)]],
  ['schedule', 'owner', ...texts],
  ['schedule', 'process', ...texts],
  ['worker', 'worker', [new URL('file:///a.js'), '/a.js'], ['a.js', './a.js', 7]],
  [
    'worker',
    'resourceLimits',
    [{}, { stackSizeMb: 0.5, maxOldGenerationSizeMb: 1, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 1 }],
    [{ stackSizeMb: 0 }, { heap: 1 }],
  ],
  ['function', 'run', [async () => {}, { worker: '/a.js' }], ['a', { worker: 'a.js' }, null]],
  ['tool host', 'supervisor', [host], [supervisor, null]],
  ['tool host', 'owner', ...texts],
  ['tool host', 'agent', ...texts],
  ['tool host', 'tools', [[], [{ prepare: work }]], [[{}]]],
  ['tool host', 'ask', [work, null], ['a']],
  ['tool host', 'grants', [{ cover: work, add: work }], [{ cover: work }]],
  ['tool host', 'notices', ['wake', 'next-step', 'next-answer', 'none'], ['x']],
  ['tool host', 'mailbox', [{}], [null, 'a']],
  ['tool host', 'clock', [clock], [{}]],
  ['agent', 'name', ['a', 'A_-9', 'a'.repeat(48)], ['', '-a', 'a b', 'a'.repeat(49)]],
  ['agent', 'type', ['interactive', 'execution'], ['x']],
  ['agent', 'version', ['1.0'], [1]],
  ['agent', 'system_prompt', ...texts],
  ['agent', 'delegates', [[], ['a']], [['a b']]],
  [
    'agent',
    'model',
    [
      { provider: 'a', name: 'b' },
      { temperature: 0 },
      { temperature: 2 },
      { max_tokens: 1 },
      { base_url: 'http://a/v1' },
      { api_key_env: 'A_1' },
    ],
    [
      { provider: '' },
      { name: '' },
      { temperature: -0.1 },
      { temperature: 2.1 },
      { max_tokens: 0 },
      { base_url: 'a' },
      { api_key_env: '1A' },
      { api_key_env: 'a-b' },
      { key: 'a' },
    ],
  ],
  [
    'agent',
    'tools',
    [
      { set: 'bash' },
      { modules: ['a', './a.ts#b'] },
      { allow: ['a'], deny: ['b'] },
      { modes: { a: 'sync' } },
      { timeouts: { a: '5s' } },
    ],
    [
      { set: 'x' },
      { modules: [''] },
      { modules: ['#a'] },
      { modules: ['a#'] },
      { allow: [''] },
      { deny: [''] },
      { modes: { a: 'x' } },
      { timeouts: { a: 'x' } },
    ],
  ],
  [
    'agent',
    'delegation',
    [{ default_mode: 'in_process', timeout: '5s', max_parallel_agents: 1, max_depth: 1 }],
    [{ default_mode: 'x' }, { max_parallel_agents: 0 }, { max_depth: 0 }, { timeout: 'x' }],
  ],
  [
    'agent',
    'context',
    [{ max_messages: 10, max_tokens: 1_000, facts: ['a'] }],
    [{ max_messages: 9 }, { max_tokens: 999 }, { facts: [''] }],
  ],
  [
    'agent',
    'limits',
    [
      {
        max_steps: 1,
        max_retries: 0,
        min_backoff: '1s',
        max_run_time: 0,
        background: 'kill',
        background_wait: '1m',
      },
    ],
    [
      { max_steps: 0 },
      { max_retries: -1 },
      { min_backoff: 'x' },
      { background: 'x' },
      { background_wait: 'x' },
    ],
  ],
  ['agent', 'policy', [{ mode: 'plan', restrict_to_workspace: true }], [{ mode: 'x' }, { workspace: '/a' }]],
  [
    'agent',
    'supervisor',
    [{ default_timeout: '5s', hints: { git_prompt: false } }],
    [{ timeout: '5s' }, { cwd: '/a' }],
  ],
  [
    'policy',
    'rules',
    [
      { publish: 'off' },
      { mine: { verdict: 'ask', what: 'a', match: ['a', 'b'] } },
      { mine: { verdict: 'deny', what: 'a', match: ['a'], hint: 'b', beside: ['c', 'd'] } },
    ],
    [
      { publish: 'x' },
      { mine: 'off' },
      { mine: { verdict: 'allow', what: 'a', match: ['a'] } },
      { mine: { verdict: 'ask', what: 'a', match: [] } },
      { mine: { verdict: 'ask', what: '', match: ['a'] } },
      { mine: { verdict: 'ask', what: 'a', match: [''] } },
      { mine: { verdict: 'ask', what: 'a', match: ['a'], beside: [''] } },
    ],
  ],
  ['policy', 'mode', ['default', 'auto', 'dangerous', 'plan', 'ci'], ['x']],
  ['policy', 'workspace', ['/a'], ['a']],
  ['policy', 'extraPaths', [['/a']], [['a']]],
  ['policy', 'sandboxRead', [['/a']], [['a']]],
  ['policy', 'sandbox', ['off', 'auto', 'require'], ['on']],
  ['policy', 'sandboxNetwork', ['open', [], ['a']], ['closed', ['']]],
  ['policy', 'tools', [{}, { allow: ['a'], deny: ['b'] }], [{ allow: [''] }, { deny: [''] }, { only: [] }]],
  ['policy', 'commands', [{ allow: ['a'] }], [{ allow: [''] }, { ask: [] }]],
  [
    'policy',
    'permissions',
    [{ start: 'ask' }, { my_tool: 'deny' }],
    [{ start: 'x' }, { starts: 'ask' }, { Start: 'ask' }, { '1a': 'ask' }],
  ],
  ['policy', 'askTimeout', ...durations],
];

/** The schemas by name, with a value that each accepts. */
const schemas: Readonly<Record<string, readonly [z.ZodType, object]>> = {
  ...Object.fromEntries(defaults.map(([name, schema, given]) => [name, [schema, given] as const])),
  saying: [saying, {}],
  shorten: [shortenOptions, {}],
  size: [terminalSize, { columns: 80, rows: 24 }],
  paste: [pasteOptions, {}],
  'watched process': [watchCall, {}],
  'owner of watches': [watchOwner, {}],
  filter: [notificationFilter, {}],
  schedule: [scheduleOptions, { message: 'Look.', after: 0 }],
  worker: [workerModule, { worker: '/a.js' }],
  function: [functionSpec, { run: async () => {} }],
};

test.each(cases)('%s: the option "%s" has its limits', (name, option, accepted, refused) => {
  const [schema, given] = schemas[name] ?? [];
  const isValid = (value: unknown) => schema?.safeParse({ ...given, [option]: value }).success;

  for (const value of accepted) expect([value, isValid(value)]).toEqual([value, true]);
  for (const value of refused) expect([value, isValid(value)]).toEqual([value, false]);
});

test.each(Object.entries(schemas).filter(([name]) => name !== 'watched process'))(
  '%s: another option is refused',
  (_, [schema, given]) => {
    expect(schema.safeParse({ ...given, another: 1 }).success).toBe(false);
  },
);

test.each([
  [{}, '"after" is undefined; expected either "after" (once) or "every" (repeated).'],
  [{ after: 1, every: 1_000 }, '"every" is 1000; expected either "after" (once) or "every" (repeated).'],
  [{ every: 999 }, '"every" is 999; expected a duration of at least 1 s.'],
  [{ every: '4000d' }, 'expected a duration of at most 10 years.'],
  [{ after: 1, message: ' ' }, 'expected a value that is not empty.'],
  [{ after: 1, message: 'a'.repeat(65_537) }, 'expected at most 65536 bytes.'],
])('a schedule with %o says what it expects', (given, expected) => {
  const input = { message: 'Look.', ...given };

  expect(() => parseOptions(scheduleOptions, { input, name: 'schedule' })).toThrow(expected);
});

test('a schedule rounds its time as it is stored', () => {
  expect(scheduleOptions.parse({ message: 'a', every: '1.0006s' })).toMatchObject({ every: 1_001 });
});

test.each([
  [watchOptions, { quiet: 99 }, 'a duration of at least 100 ms'],
  [watchOptions, { pattern: '(' }, 'a JavaScript regular expression (Unterminated group)'],
  [watchOptions, { pattern: 'a'.repeat(4_001) }, 'at most 4000 characters'],
  [
    watchOptions,
    { quiet: 100, pattern: 'a' },
    'no value beside "pattern": a watch reports either silence or lines',
  ],
  [watchCall, {}, 'the id of a process, such as "handle.id"'],
  [waitOptions, { http: 'a' }, 'an address that begins with "http://" or "https://"'],
  [
    waitOptions,
    { from: 'end' },
    '"start", "now", an offset from 0, or the positions of a read: { stdout: 0, stderr: 0, screen: 0 }',
  ],
  [waitOptions, { clock: 1 }, 'a Clock'],
  [waitOptions, { signal: 1 }, 'an AbortSignal'],
  [readOptions, { since: 'first' }, 'an offset, the positions of a read, or "last"'],
  [policyOptions, { workspace: 'a' }, 'an absolute path'],
  [
    policyOptions,
    { sandboxNetwork: 'x' },
    '"open", or a list of domains (["*.npmjs.org", "github.com:443"])',
  ],
  [commandSpec, { command: 'a', cwdFile: 'a' }, 'an absolute path'],
  [
    commandSpec,
    { command: 'a', input: 7 },
    'text, bytes (Uint8Array), a ReadableStream, or an async iterable of them',
  ],
  [
    functionSpec,
    { run: 7 },
    "a function, or a module for a worker thread ({ worker: new URL('./job.js', import.meta.url) }, or its absolute path)",
  ],
  [workerModule, { worker: 'a' }, "a URL (new URL('./job.js', import.meta.url)) or an absolute path"],
  [
    supervisorOptions,
    { inspect: 7 },
    'a function, or an observer with "next", such as createInspector(…).inspect',
  ],
  [supervisorOptions, { records: 7 }, 'a RecordStore'],
  [supervisorOptions, { askSecret: 7 }, 'a function'],
  [conversationOptions, { supervisor: 7, model }, 'a Supervisor'],
  [conversationOptions, { supervisor, model: 7 }, 'a ChatModel with "name" and "stream"'],
  [conversationOptions, { supervisor, model, id: 'a b' }, '1 to 64 letters, digits, "_" and "-"'],
  [conversationOptions, { supervisor, model, tools: [1] }, 'a Tool made by defineTool'],
  [conversationOptions, { supervisor, model, journal: 1 }, 'a Journal'],
  [conversationOptions, { supervisor, model, clock: 1 }, 'a Clock'],
  [conversationOptions, { supervisor, model, ask: 1 }, 'a function'],
  [saying, { text: ' ' }, 'a value that is not empty'],
  [toolHostOptions, { supervisor: host, grants: {} }, 'Grants made by createGrants'],
  [toolHostOptions, { supervisor: host, mailbox: 1 }, 'a MailboxReader'],
  [agentFileSchema, { name: ' ', model: {} }, 'a name of letters, digits, "_" and "-", 48 at most'],
  [agentFileSchema, { name: 'a', model: {}, version: 1 }, 'text; put a number in quotes: "1.0"'],
  [
    agentFileSchema,
    { name: 'a', model: { api_key_env: '1' } },
    'the name of an environment variable, such as OPENAI_API_KEY',
  ],
  [
    agentFileSchema,
    { name: 'a', model: {}, tools: { modules: ['#'] } },
    'the path of a module, with the name of an export: "./my-tools.ts#weather"',
  ],
] as const)('a refusal says what is expected: %#', (schema, input, expected) => {
  expect(() => parseOptions(schema as z.ZodType, { input, name: 'call' })).toThrow(`expected ${expected}`);
});

test('a permission that was nearly named is suggested', () => {
  const input = { permissions: { Starts: 'ask' } };

  expect(() => parseOptions(policyOptions, { input, name: 'call' })).toThrow(/tool; did you mean "start"\?/);
});

test('a path of a module becomes its URL', () => {
  expect(workerModule.parse({ worker: '/a b.js' })).toEqual({ worker: 'file:///a%20b.js' });
});
