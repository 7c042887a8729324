import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { escapeAttribute, escapeText } from '../../src/mailbox/escape-markup.ts';
import { lastLines } from '../../src/mailbox/last-lines.ts';
import { toNotice } from '../../src/mailbox/notice.ts';
import {
  type EndedPart,
  type NoticePart,
  toDuePart,
  toEndedPart,
  toRunningPart,
  toWatchPart,
} from '../../src/mailbox/notice-part.ts';
import { toNotificationEntry, toRunningEntry } from '../../src/mailbox/to-entry.ts';
import { endedView, runningView } from '../support/views.ts';

const unseen = { tail: '', unreadBytes: 0, ports: [], answer: null };
const { output } = endedView();
const members = (...pids: number[]) =>
  pids.map((pid) => ({ pid, pgid: pid, startedAt: '1', command: 'serve' }));

function ended(facts: Parameters<typeof endedView>[0], seen: Partial<typeof unseen> & object = {}) {
  return toEndedPart(endedView(facts), { ...unseen, ...seen });
}

const watched = { id: 'tool_w', label: 'web', command: 'npm start' };

/** Parts of each kind, each in a notice of its own. */
const notices: Readonly<Record<string, readonly NoticePart[]>> = {
  'success, with all output': [
    ended(
      { label: 'build', output: { ...output, bytes: 4, logFile: '/logs/1.log' } },
      { tail: 'out\n', unreadBytes: 4 },
    ),
  ],
  'failure, with more output': [
    ended(
      {
        ...{ status: 'failed', exit: { code: 3, signal: null }, reason: { type: 'exited', code: 3 } },
        ...{ runtimeMs: 65_000, output: { ...output, bytes: 900 } },
      },
      { tail: 'one\ntwo\n\n' },
    ),
  ],
  'success, with what it used': [
    ended({ cpuMs: 61_500, peakMemoryBytes: 2_000_000_000, readBytes: 0, writtenBytes: 5_000_000 }),
  ],
  'kill, with leftovers': [
    ended(
      {
        ...{ status: 'killed', exit: { code: null, signal: 'SIGTERM' } },
        reason: { type: 'killed', by: 'user', signal: 'SIGTERM', escalated: false },
        ...{ leftovers: members(1, 2, 3, 4, 5), suspects: members(6, 7, 8, 9, 10) },
      } as Parameters<typeof endedView>[0],
      { ports: [80, 443] as never },
    ),
    ended({ leftovers: members(1, 2, 3, 4, 5, 6), suspects: members(1, 2, 3, 4, 5, 6) }),
  ],
  'time limit and loss': [
    ended({
      ...{ status: 'timed_out', exit: { code: null, signal: 'SIGKILL' } },
      reason: { type: 'timed_out', limit: 'timeout', afterMs: 1_500 },
    } as Parameters<typeof endedView>[0]),
    ended({ status: 'lost', exit: null, reason: { type: 'lost', why: 'its host is gone' } }),
  ],
  'answer of an agent': [ended({ kind: 'agent' }, { answer: 'All <b>done</b>.' as never })],
  running: [
    toRunningPart('silent', runningView({ label: 'web', output: { ...output, bytes: 7 } })),
    toRunningPart('elapsed', runningView({ runtimeMs: 3_600_000 })),
    toRunningPart('silent', runningView({ pausedAt: 5 })),
    toRunningPart(
      'silent',
      runningView({ awaitsInput: { kind: 'key', certainty: 'known', prompt: '(y/n) ', since: 1 } }),
    ),
    { type: 'elapsed', id: 'tool_old', label: null, runtimeMs: 0, outputBytes: 0, command: 'old' },
    toRunningPart('silent', { ...runningView(), status: 'pending', queued: true } as never),
  ],
  watches: [
    { type: 'quiet', ...watched, quietMs: 5_000, isScreen: false, lines: ['Name: '] },
    { type: 'quiet', ...watched, quietMs: 90_000, isScreen: true, lines: [' ', ''] },
    { type: 'matched', ...watched, pattern: 'error', matches: 1, lines: ['error 1'] },
    { type: 'matched', ...watched, pattern: '<b>', matches: 2, lines: ['a', 'b'] },
    { type: 'matched', ...watched, pattern: 'e', matches: 9, lines: ['a', 'b'] },
    { type: 'matched', ...watched, pattern: 'e', matches: 9, lines: ['a'] },
    { type: 'unwatched', ...watched, label: null, why: 'it takes too long' },
  ],
  'reminders and events': [
    { type: 'due', scheduleId: 's1', message: 'Look <here>.', everyMs: null, processId: null, missed: 0 },
    { type: 'due', scheduleId: 's2', message: 'Look.', everyMs: 60_000, processId: 'tool_1', missed: 1 },
    { type: 'due', scheduleId: 's3', message: 'Look.', everyMs: 60_000, processId: null, missed: 2 },
    { type: 'told', source: 'a "host"\nof ours', text: 'Deployed.' },
  ],
};

test('a notice of each kind reads as before', async () => {
  const texts = Object.entries(notices).map(([name, parts]) => `# ${name}\n${toNotice(parts)}\n`);

  await expect(texts.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'golden/notices.txt'));
});

/** Returns the parts of texts that a notice shows; all texts have the same length in bytes. */
function shownOf(parts: readonly NoticePart[], letter: string): readonly number[] {
  const runs = toNotice(parts).match(new RegExp(`${letter}{20,}`, 'g')) ?? [];
  return [...new Set(runs.map(({ length }) => length))];
}

const parted = <T extends NoticePart>(count: number, part: T) =>
  Array.from({ length: count }, (_, index) => ({ ...part, id: `tool_${index}` }));
const long = 'z'.repeat(100_000);

describe('texts share the room of a notice', () => {
  const tail: EndedPart = ended({ output: { ...output, bytes: 100_000 } }, { tail: long });

  test.for<readonly [count: number, bytes: number]>([
    [1, 2_000],
    [8, 2_000],
    [16, 1_000],
    [50, 320],
    [60, 320],
  ])('%i tails have %i bytes each', ([count, bytes]) => {
    expect(shownOf(parted(count, tail), 'z')).toEqual([bytes]);
  });

  test.for<readonly [count: number, bytes: number]>([
    [1, 4_000],
    [8, 4_000],
    [16, 2_000],
    [160, 200],
    [250, 200],
  ])('%i events have %i bytes each', ([count, bytes]) => {
    expect(shownOf(parted(count, { type: 'told', source: 'host', text: long }), 'z')).toEqual([bytes]);
  });

  test.for<readonly [count: number, bytes: number]>([
    [1, 16_000],
    [4, 16_000],
    [8, 8_000],
    [250, 256],
  ])('%i reminders have %i bytes each', ([count, bytes]) => {
    const due = { type: 'due', scheduleId: 's', everyMs: null, processId: null, missed: 0 } as const;
    expect(shownOf(parted(count, { ...due, message: long }), 'z')).toEqual([bytes]);
  });

  test('an answer has 8000 bytes, and says how many are left out', () => {
    const notice = toNotice([ended({ kind: 'agent' }, { answer: 'ä'.repeat(4_001) as never })]);

    expect(notice).toContain(`${'ä'.repeat(4_000)}\n[2 more bytes]\n</answer>`);
    expect(toNotice([ended({ kind: 'agent' }, { answer: `x${'ä'.repeat(4_000)}` as never })])).toContain(
      `x${'ä'.repeat(3_999)}\n[2 more bytes]\n`,
    );
  });

  test('a command and a source are cut at 500 characters', () => {
    const cut = `${'x'.repeat(499)}…`;

    expect(toNotice([ended({ commandLine: 'x'.repeat(501) })])).toContain(`command="${cut}"`);
    expect(toNotice([{ type: 'told', source: 'x'.repeat(501), text: '' }])).toContain(`source="${cut}"`);
  });
});

test('a notice counts the entries that it has no room for', () => {
  const told = parted(252, { type: 'told', source: 'host', text: 'x' });
  const ends = [
    ...Array.from({ length: 251 }, () => ended({})),
    ...[ended({ status: 'lost' }), ended({ status: 'failed' }), ended({ status: 'failed' })],
  ];

  const lines = toNotice([...told, ...ends], { dropped: 3 }).split('\n');

  expect(lines[0]).toBe('<process_notice processes="254">');
  expect(lines.filter((line) => line.startsWith('<process ') && line.endsWith('/>'))).toHaveLength(200);
  expect(lines.filter((line) => line.startsWith('<more'))).toEqual([
    '<more completed="1" failed="2" lost="1">The list of processes shows each of them.</more>',
    '<more events="2"/>',
    '<more dropped="3">The list of processes shows what has ended.</more>',
  ]);
});

test('an end that is shown in brief has its code and duration', () => {
  const parts = parted(51, ended({ label: 'build', runtimeMs: 3_200 }));

  expect(toNotice(parts)).toContain(
    '<process id="tool_50" label="build" status="completed" code="0" duration="3.2s"/>',
  );
});

test.for([
  ['a & b', 'a &amp; b', 'a &amp; b'],
  ['<b>"x"</b>', '&lt;b&gt;"x"&lt;/b&gt;', '&lt;b&gt;&quot;x&quot;&lt;/b&gt;'],
  ['a\tb\nc', 'a\tb\nc', 'a b c'],
  ['a\r\nb', 'a\\x0d\nb', 'a\\x0d b'],
  ['\x00\x08\x0b\x1f\x7f\x9f', '\\x00\\x08\\x0b\\x1f\\x7f\\x9f', '\\x00\\x08\\x0b\\x1f\\x7f\\x9f'],
  ['\xa0~', '\xa0~', '\xa0~'],
  ['a\u2028\u2029b', 'a\u2028\u2029b', 'a b'],
] as const)('%j is escaped as text and as an attribute', ([text, escaped, attribute]) => {
  expect([escapeText(text), escapeAttribute(text)]).toEqual([escaped, attribute]);
});

test.for([
  ['one\ntwo\n', 8, 'one\ntwo\n'],
  ['one\ntwo\n', 7, 'two\n'],
  ['one\ntwo\n', 4, 'two\n'],
  ['one\ntwo\n', 3, 'wo\n'],
  ['one\ntwo', 3, 'two'],
  ['one', 2, 'ne'],
  ['äö', 3, 'ö'],
  ['äö', 1, ''],
] as const)('the last lines of %j in %i bytes are %j', ([text, maxBytes, lines]) => {
  expect(lastLines(text, maxBytes)).toBe(lines);
});

const news = { id: 'n1', at: 7, owner: 'ada', process: runningView({ id: 'tool_w', label: 'web' }) };
const part = { id: 'tool_w', label: 'web', command: 'make' };

test.for([
  [
    { ...news, type: 'watch.failed', why: 'it takes too long' },
    { type: 'unwatched', ...part, why: 'it takes too long' },
  ],
  [
    { ...news, type: 'watch.quiet', quietMs: 5_000, lines: ['a', 'b'] },
    { type: 'quiet', ...part, quietMs: 5_000, isScreen: false, lines: ['a', 'b'] },
  ],
  [
    { ...news, type: 'watch.quiet', quietMs: 5_000, lines: [] },
    { type: 'quiet', ...part, quietMs: 5_000, isScreen: false, lines: [] },
  ],
  [
    { ...news, type: 'watch.matched', pattern: 'x', matches: 3, suppressed: 1, lines: ['a', 'b'] },
    { type: 'matched', ...part, pattern: 'x', matches: 3, lines: ['a', 'b'] },
  ],
] as const)('news %j become the part of a notice', ([given, expected]) => {
  expect(toWatchPart(given as never)).toEqual(expected);
  expect(toNotificationEntry(given as never)).toEqual({
    ...{ kind: 'notice', id: 'n1', attention: 'turn', part: expected },
  });
});

test('lines of a watch are cut at 4000 bytes', () => {
  const lines = Array.from({ length: 500 }, () => 'z'.repeat(9));
  const cut = toWatchPart({ ...news, type: 'watch.quiet', quietMs: 5_000, lines } as never);

  expect((cut as { readonly lines: readonly string[] }).lines).toHaveLength(400);
});

test('a reminder becomes the part of a notice', () => {
  const schedule = { id: 's1', message: 'Look.', everyMs: 60_000, processId: 'tool_1', owner: 'ada' };

  const due = { ...{ id: 'n2', at: 7, owner: 'ada', missed: 2 }, type: 'schedule.due', schedule } as never;

  const expected = {
    ...{ type: 'due', scheduleId: 's1', message: 'Look.', everyMs: 60_000, processId: 'tool_1', missed: 2 },
  };
  expect(toDuePart(due)).toEqual(expected);
  expect(toNotificationEntry(due)).toEqual({ kind: 'notice', id: 'n2', attention: 'turn', part: expected });
});

const asks = { kind: 'line', certainty: 'known', prompt: null, since: 1 } as const;

test.for([
  ['process.silent', null, 'silent', 'context'],
  ['process.silent', asks, 'silent', 'turn'],
  ['process.silent', { ...asks, certainty: 'hint' }, 'silent', 'context'],
  ['process.elapsed', asks, 'elapsed', 'context'],
] as const)(
  '%s of a process that waits for %j wakes only who must type',
  ([type, awaitsInput, word, attention]) => {
    const view = runningView({ id: 'tool_1', attempt: 2, awaitsInput });

    const entry = toRunningEntry(type, { view, at: 9 });

    expect(entry).toMatchObject({
      kind: 'notice',
      id: `tool_1/2/${word}/9`,
      attention,
      part: { type: word },
    });
  },
);
