import { expect, test } from 'vitest';
import { unknownEnd } from '../../machines/process/context.ts';
import { recordShape, watchShape } from '../../src/process/record-shape.ts';
import { endedView, runningView } from '../support/views.ts';

const member = { pid: 5, pgid: 5, startedAt: '1', command: 'sleep' };
const receipt = {
  ...{ signalled: 'SIGTERM', escalated: false, durationMs: 1 },
  ...{ survivors: [member], leftoversEnded: [member] },
};
const started = runningView({
  terminal: { type: 'terminal', columns: 80, rows: 24, attach: ['tmux'], because: 'asked for' },
  progress: { percent: 1, state: 'running', text: '1 %' },
  awaitsInput: { kind: 'line', certainty: 'hint', prompt: '?', since: 1 },
  endsAt: 5,
});
const { pid, pgid, held, startedAt, runtimeMs, endsAt, restarts, ready, backgroundedAt, ...facts } = started;
const running = { pid, pgid, held, startedAt, runtimeMs, endsAt, restarts, ready };
const exited = { type: 'exited', code: 1 } as const;
const ended = endedView({
  ...unknownEnd,
  ...{ exit: { code: 1, signal: null }, reason: exited, leftovers: [member], suspects: [member] },
  ...{ receipt: receipt as never, cpuMs: 1, held: 'cgroup', backgroundedAt: 1 },
});

const adoption = {
  ...{ likeness: 'abc', background: true, onTimeout: 'kill', leftoverPolicy: 'keep' },
  limits: {
    ...{ timeoutMs: 1, maxExecutionMs: 1, maxBackgroundMs: 1, killGraceMs: 1 },
    ...{ drainQuietMs: 1, drainMaxMs: 1, notifyAfterSilenceMs: 1, notifyAfterMs: 1 },
  },
  restart: {
    ...{ policy: 'transient', maxRestarts: 1, withinMs: 1 },
    ...{ minBackoffMs: 1, maxBackoffMs: 1, healthyAfterMs: 1 },
  },
  ready: { within: 1, line: { source: 'up', flags: 'i' } },
  ...{ maxReplyBytes: 256, maxLogBytes: 4_096 },
  files: { log: 'a.log', status: 'a.status' },
  size: { columns: 80, rows: 24 },
  work: { type: 'argv', file: 'sleep', args: ['60'] },
  stdin: 'pipe',
  hints: { pager: true, gitPrompt: true, term: true },
  ...{ attemptOffset: 0, restartedAt: [1], nextStartAt: null },
  stop: { cause: { type: 'kill' }, signal: 'SIGTERM', graceMs: 1, escalated: false },
};

const record = (view: object, own: object = {}) => ({
  ...{ supervisorId: 'sup_1', savedAt: 1, view, revival: adoption },
  scope: { bootId: 'b', pidNamespace: 'p' },
  timeline: [{ type: 'process.created', at: 1, by: 'user', cause: { event: 'x', guards: ['y'] } }],
  leader: {
    ...{ bootId: 'b', pidNamespace: 'p', pid: 5, pgid: 5, sid: 5, startedAt: '1', cookie: 'c' },
  },
  readers: { user: { stdout: 0, stderr: 0, screen: 0 } },
  ...own,
});

/** Views by status, and the fields of each that must be there. */
const views: Readonly<Record<string, object>> = {
  pending: { ...facts, status: 'pending', queued: false },
  running: { ...facts, ...running, status: 'running' },
  backgrounded: { ...facts, ...running, status: 'backgrounded', backgroundedAt },
  stopping: { ...facts, ...running, status: 'stopping', survivors: [member], because: 'a' },
  restarting: { ...facts, status: 'restarting', restarts: 1, nextStartAt: 1, reason: exited },
  failed: ended,
};

/** Fields that older versions did not write, or that only some records have. */
const optionalFields = [
  ...['terminal', 'progress', 'takesInput', 'awaitsInput', 'callId', 'host'].map((name) => `view.${name}`),
  ...['held', 'endsAt', 'because', 'suspects', 'cpuMs', 'pausedAt', 'resourceLimits'].map(
    (name) => `view.${name}`,
  ),
  ...['peakMemoryBytes', 'readBytes', 'writtenBytes'].map((name) => `view.${name}`),
  ...['readers', 'revival.size', 'revival.ready.line', 'timeline.0.by', 'timeline.0.cause'],
];
/** Values of maps with any names. */
const inFreeMaps = /^(view\.metadata|readers)\.\w+$/;

type Document = Record<string, unknown>;

/** Lists the paths of all named values. */
function listPaths(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [...(Array.isArray(value) ? [] : [here]), ...listPaths(part, here)];
  });
}

function without(document: object, path: string): object {
  // Parts that occur twice are copied twice.
  const copy = JSON.parse(JSON.stringify(document)) as Document;
  const names = path.split('.');
  const place = names.slice(0, -1).reduce((at, name) => at[name] as Document, copy);
  delete place[names.at(-1) ?? ''];
  return copy;
}

test.each(Object.entries(views))('a %s process has a valid record', (_, view) => {
  expect(recordShape(record(view))).toBeNull();
});

test.each(Object.entries(views))('a record of a %s process lacks no field', (_, view) => {
  const whole = record(view);
  for (const path of listPaths(whole).filter((each) => !inFreeMaps.test(each))) {
    const wrong = recordShape(without(whole, path));
    // A missing part with several shapes is named by the field that selects one.
    const place = wrong?.replace(/\.(type|status)$/, '') ?? null;
    const expected = optionalFields.includes(path) ? null : `.${path.replace(/\.(type|status)$/, '')}`;
    expect([path, place]).toEqual([path, expected]);
  }
});

test.each([
  ['an id of a supervisor with a slash', { supervisorId: 'a/b' }, '.supervisorId'],
  ['an empty id of a supervisor', { supervisorId: '' }, '.supervisorId'],
  ['a long id of a supervisor', { supervisorId: 'a'.repeat(65) }, '.supervisorId'],
  ['a reply below the smallest', { revival: { ...adoption, maxReplyBytes: 255 } }, '.revival.maxReplyBytes'],
  ['a log below the smallest', { revival: { ...adoption, maxLogBytes: 4_095 } }, '.revival.maxLogBytes'],
  ['a position below 0', { readers: { a: { stdout: -1, stderr: 0, screen: 0 } } }, '.readers.a.stdout'],
  ['another answer to a timeout', { revival: { ...adoption, onTimeout: 'x' } }, '.revival.onTimeout'],
  [
    'another policy of leftovers',
    { revival: { ...adoption, leftoverPolicy: 'x' } },
    '.revival.leftoverPolicy',
  ],
  ['another stdin', { revival: { ...adoption, stdin: 'x' } }, '.revival.stdin'],
  ['another kind of work', { revival: { ...adoption, work: { type: 'x' } } }, '.revival.work.type'],
])('a record with %s is refused', (_, own, place) => {
  expect(recordShape(record(ended, own))).toBe(place);
});

test.each([
  ['another status', { ...ended, status: 'gone' }, '.view.status'],
  ['another kind', { ...ended, kind: 'x' }, '.view.kind'],
  ['another lifetime', { ...ended, lifetime: 'x' }, '.view.lifetime'],
  ['another command', { ...ended, command: { type: 'x' } }, '.view.command.type'],
  ['another reason', { ...ended, reason: { type: 'x' } }, '.view.reason.type'],
  ['another hold', { ...ended, held: 'x' }, '.view.held'],
  ['the end of a live one', { ...views['running'], endedAt: 1 }, '.view.endedAt'],
  ['another readiness', { ...views['running'], ready: { state: 'x' } }, '.view.ready.state'],
])('a view with %s is refused', (_, view, place) => {
  expect(recordShape(record(view))).toBe(place);
});

test.each([
  [{ type: 'exited', code: 1 }],
  [{ type: 'signalled', signal: 'SIGHUP', by: 'outside' }],
  [{ type: 'timed_out', limit: 'timeout', afterMs: 1 }],
  [{ type: 'timedOut', limit: 'timeout', afterMs: 1 }],
  [{ type: 'killed', by: 'user', signal: 'SIGTERM', escalated: true }],
  [{ type: 'spawnFailed', cause: 'other', code: null, message: '' }],
  [{ type: 'cancelled', by: 'user' }],
  [{ type: 'lost', why: '' }],
])('the reason %j needs all of its fields', (reason) => {
  expect(recordShape(record({ ...ended, reason }))).toBeNull();
  for (const name of Object.keys(reason))
    expect(recordShape(record({ ...ended, reason: without(reason, name) }))).toBe(`.view.reason.${name}`);
});

test.each([
  [{ type: 'argv', argv: ['a'] }],
  [{ type: 'shell', script: 'a', shell: 'sh' }],
  [{ type: 'function', name: 'a' }],
])('the command %j needs all of its fields', (command) => {
  expect(recordShape(record({ ...ended, command }))).toBeNull();
  for (const name of Object.keys(command))
    expect(recordShape(record({ ...ended, command: without(command, name) }))).toBe(`.view.command.${name}`);
});

const watch = { owner: 'user', since: 1, told: 0 };

test.each([
  [{ ...watch, wants: { type: 'quiet', quietMs: 100 } }, null],
  [{ ...watch, wants: { type: 'quiet', quietMs: 99 } }, '.wants.quietMs'],
  [
    {
      ...watch,
      wants: { type: 'pattern', pattern: 'up' },
      toldBytes: 0,
      toldUnfinished: ['stdout', 'stderr', 'screen'],
    },
    null,
  ],
  [{ ...watch, wants: { type: 'pattern', pattern: '(' } }, '.wants.pattern'],
  [{ ...watch, wants: { type: 'pattern', pattern: 1 } }, '.wants.pattern'],
  [{ ...watch, wants: { type: 'pattern', pattern: 'up' }, toldBytes: -1 }, '.toldBytes'],
  [{ ...watch, wants: { type: 'pattern', pattern: 'up' }, toldUnfinished: ['stdin'] }, '.toldUnfinished.0'],
  [{ ...watch, wants: { type: 'x' } }, '.wants.type'],
  [{ wants: { type: 'quiet', quietMs: 100 }, since: 1, told: 0 }, '.owner'],
])('the watch %j has its problem at %j', (value, place) => {
  expect(watchShape(value)).toBe(place);
});
