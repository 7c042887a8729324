import { expect, test } from 'vitest';
import { createNoticeBox, type News } from '../../src/mcp/notice-box.ts';
import type { FinalView } from '../../src/process/process-view.ts';

/** The end of a process, as far as a box looks at it. */
function end(processId: string): News {
  const part = {
    type: 'ended',
    id: processId,
    label: null,
    status: 'failed',
    code: 1,
    signal: null,
    runtimeMs: 5,
  };
  const more = { command: 'make', end: 'exited with code 1', leftovers: [], ports: [], logFile: null };
  const output = { outputBytes: 0, unreadBytes: 0, tail: '', answer: null };
  return {
    id: `${processId}/1/ended`,
    part: { ...part, ...more, ...output } as News['part'],
    view: { id: processId } as FinalView,
  };
}

test('what a running call looks at is told by no other call', () => {
  const box = createNoticeBox(() => {});
  const [own, other] = [box.openCall(), box.openCall()];
  own.look('tool_a');
  box.add(end('tool_a'));

  const [toldByOther, log] = [other.answered([]), box.takeForLog()];
  const toldByOwn = own.answered([]);

  expect([toldByOther, log]).toEqual([null, []]);
  expect(toldByOwn).toContain('tool_a');
});

test('what a call shows is neither told nor logged', () => {
  const box = createNoticeBox(() => {});
  const call = box.openCall();
  call.look('tool_a');
  box.add(end('tool_a'));

  const notice = call.answered(['tool_a/1/ended']);

  expect([notice, box.takeForLog(), box.openCall().answered([])]).toEqual([null, [], null]);
});

test('what was shown before it is known is not told', () => {
  const box = createNoticeBox(() => {});
  box.openCall().answered(['tool_a/1/ended']);

  box.add(end('tool_a'));

  expect(box.openCall().answered([])).toBe(null);
});

test('a dropped answer has told nothing', () => {
  const box = createNoticeBox(() => {});
  const call = box.openCall();
  call.look('tool_a');
  box.add(end('tool_a'));

  call.dropped();

  expect(box.takeForLog().map(({ id }) => id)).toEqual(['tool_a/1/ended']);
  expect(box.openCall().answered([])).toContain('tool_a');
});

test('logging for people leaves the telling of the model', () => {
  let changes = 0;
  const box = createNoticeBox(() => {
    changes += 1;
  });
  box.add(end('tool_a'));

  const [first, second] = [box.takeForLog(), box.takeForLog()];

  expect([first.length, second.length, changes]).toEqual([1, 0, 1]);
  expect(box.openCall().answered([])).toContain('tool_a');
});

test('the end takes the place of what was said of the run', () => {
  const box = createNoticeBox(() => {});
  const part = {
    type: 'silent',
    id: 'tool_a',
    label: null,
    runtimeMs: 5,
    outputBytes: 0,
    command: 'make',
  } as const;
  box.add({ id: 'tool_a/1/silent/7', part, view: null });

  box.add(end('tool_a'));

  expect(box.openCall().answered([])).not.toContain('printed nothing');
});

test('lines that matched are told beside the end, a silence is not', () => {
  const box = createNoticeBox(() => {});
  const process = { id: 'tool_a', label: null, command: 'make' };
  const quiet = { type: 'quiet', ...process, quietMs: 5_000, isScreen: false, lines: [] } as const;
  const matched = {
    type: 'matched',
    ...process,
    pattern: 'x',
    matches: 1,
    lines: ['a line with x'],
  } as const;
  box.add({ id: 'tool_a/1/quiet/7', part: quiet, view: null, attention: 'turn' });
  box.add({ id: 'tool_a/1/matched/8', part: matched, view: null, attention: 'turn' });

  box.add(end('tool_a'));

  const notice = box.openCall().answered([]);
  expect(notice).not.toContain('printed nothing');
  expect(notice).toContain('a line with x');
});

const due = (count: number): News => ({
  id: `schedule_a/${count}`,
  part: {
    type: 'due',
    scheduleId: 'schedule_a',
    message: 'Look at the build.',
    everyMs: 1_000,
    processId: 'tool_a',
    missed: 0,
  },
  view: null,
  attention: 'turn',
});

test('of a schedule the newest alone waits, and counts the others', () => {
  const box = createNoticeBox(() => {});
  for (let count = 1; count <= 8; count += 1) box.add(due(count));

  const [log, notice] = [box.takeForLog(), box.openCall().answered([])];

  expect(log).toHaveLength(1);
  expect(notice?.match(/<schedule /g)).toHaveLength(1);
  expect(notice).toContain('missed="7"');
});

test.for([
  { of: 'schedule', id: 'schedule_a' },
  { of: 'process', id: 'tool_a' },
] as const)('what was withdrawn of a $of is told to nobody', (withdrawal) => {
  const box = createNoticeBox(() => {});
  box.add(due(1));

  box.withdraw(withdrawal);

  expect([box.takeForLog(), box.openCall().answered([])]).toEqual([[], null]);
});

test('a schedule is told with the next answer, once', () => {
  const box = createNoticeBox(() => {});
  const part = {
    type: 'due',
    scheduleId: 'schedule_a',
    message: 'Look at the build.',
    everyMs: null,
    processId: null,
    missed: 0,
  } as const;
  for (let times = 0; times < 2; times += 1)
    box.add({ id: 'schedule_a/1', part, view: null, attention: 'turn' });

  expect(box.openCall().answered([])).toContain('Look at the build.');
  box.add({ id: 'schedule_a/1', part, view: null, attention: 'turn' });
  expect(box.openCall().answered([])).toBe(null);
});
