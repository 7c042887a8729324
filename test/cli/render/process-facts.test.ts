import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProcessFacts, renderProcessFacts } from '../../../src/cli/render/process-facts.ts';
import type { ProcessView } from '../../../src/process/process-view.ts';
import { endedView, runningView } from '../../support/views.ts';
import { markedPage, plainPage } from '../plain-page.ts';

const zone = process.env['TZ'];
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin';
});
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const output = { bytes: 0, lines: 0, droppedBytes: 0, lastOutputAt: null, logFile: null, degraded: null };

const render = (view: ProcessView, own: Partial<ProcessFacts> = {}) =>
  renderProcessFacts({ view, timeline: [], ...own }, plainPage(120)).map((row) => row.trim());

/** Returns the facts of this name. */
function factOf(name: string, view: object, own: Partial<ProcessFacts> = {}): readonly string[] {
  const rows = render(view as ProcessView, own).filter((row) => row.startsWith(`${name.padEnd(11)}`));
  return rows.map((row) => row.slice(11));
}

test('the facts of a plain process are complete', () => {
  const rows = renderProcessFacts({ view: runningView(), timeline: [] }, plainPage(80));

  expect(rows).toEqual([
    '  tool_example1',
    '  status     backgrounded',
    '  command    make',
    '  directory  /',
    '  pid        4711',
    '  held by    its lineage, which a descendant can leave',
    '  created    1970-01-01 01:00:00',
    '  runtime    1m 05s',
    '  kind       tool',
    '  mode       scripted; default',
    '  owner      conv_1; lifetime session',
    '  output     0 bytes, 0 lines',
  ]);
});

test('names are dim, the status has its colour', () => {
  const rows = renderProcessFacts({ view: runningView({ label: 'api' }), timeline: [] }, markedPage(80));

  expect(rows.slice(0, 2)).toEqual([
    '  {bold|tool_example1 (api)}',
    '  {dim|status     }{blue|backgrounded}',
  ]);
});

const running = runningView();
const ended = endedView();

test.each([
  ['a queued process', { ...running, status: 'pending', queued: true }, 'pending: queued for a free slot'],
  [
    'a process that waits for a worker',
    { ...running, status: 'pending', queued: false, host: 'pool:gpu' },
    'pending: no worker of pool:gpu has started it',
  ],
  ['a pending process', { ...running, status: 'pending', queued: false }, 'pending'],
  ['a process that timed out', { ...ended, status: 'timed_out' }, 'timed out'],
  ['a paused process', { ...running, pausedAt: 5_000 }, 'backgrounded: paused since 1970-01-01 01:00:05'],
  [
    'a restarting process',
    { ...running, status: 'restarting', nextStartAt: 61_000 },
    'restarting: next start at 1970-01-01 01:01:01',
  ],
])('%s has its status', (_, view, text) => {
  expect(factOf('status', view)).toEqual([text]);
});

test.each([
  ['end', ended, ['it exited with code 0, at 1970-01-01 01:00:03']],
  ['end', { ...running, reason: { type: 'exited', code: 3 } }, ['it exited with code 3']],
  ['end', { ...running, reason: null }, []],
  [
    'input',
    { ...running, awaitsInput: { kind: 'key', certainty: 'hint', prompt: null, since: 9_000 } },
    ['seems to wait for a key, since 1970-01-01 01:00:09'],
  ],
  ['progress', { ...running, progress: { percent: 44.5, state: 'running', text: null } }, ['45 %']],
  [
    'progress',
    { ...running, progress: { percent: 44, state: 'paused', text: 'linking' } },
    ['44 % paused (linking)'],
  ],
  ['progress', { ...running, progress: { percent: null, state: 'running', text: 'linking' } }, ['linking']],
  ['progress', { ...running, progress: { percent: null, state: 'error', text: null } }, ['under way error']],
  ['terminal', { ...running, terminal: { type: 'none', because: 'tmux is missing' } }, ['tmux is missing']],
  ['pid', { ...running, pgid: 4712 }, ['4711, in group 4712']],
  ['pid', { ...running, pgid: null }, ['4711']],
  ['pid', { ...running, pid: null }, []],
  ['held by', { ...running, held: 'cgroup' }, ['its cgroup']],
  ['held by', { ...running, held: null }, []],
  ['used', { ...ended, cpuMs: 2_500 }, ['2.5s of CPU time']],
  ['used', { ...ended, cpuMs: null }, []],
  ['ends', { ...running, endsAt: 60_000 }, ['by 1970-01-01 01:01:00 at the latest, by its time limit']],
  ['restarts', { ...running, restarts: 1, attempt: 2 }, ['1; this is attempt 2']],
  ['restarts', { ...running, restarts: 0 }, []],
  ['kind', { ...running, tool: 'start_process' }, ['tool; started by start_process']],
  ['ready', { ...running, ready: { state: 'failed', why: 'no port' } }, ['no: no port']],
  ['ready', { ...running, ready: { state: 'ready', afterMs: 1_200 } }, ['yes, after 1.2s']],
  ['ready', { ...running, ready: { state: 'waiting' } }, ['waiting']],
  ['created', { ...running, createdAt: 9e15 }, ['9000000000000000']],
  ['output', { ...running, output: { ...output, bytes: 5, lines: 1 } }, ['5 bytes, 1 line']],
  ['output', { ...running, output: { ...output, bytes: 5, lines: null } }, ['5 bytes']],
  [
    'output',
    { ...running, output: { ...output, bytes: 9, droppedBytes: 4 }, mode: 'pipe' },
    ['9 bytes, 0 lines; 4 of them dropped from memory'],
  ],
  [
    'output',
    { ...running, output: { ...output, bytes: 9, droppedBytes: 4, degraded: 'disk full' }, mode: 'file' },
    ['9 bytes, 0 lines; 4 of them dropped from the log; disk full'],
  ],
  [
    'output',
    { ...running, output: { ...output, bytes: 9, droppedBytes: 4 }, mode: 'tmux' },
    ['9 bytes, 0 lines; 4 of them dropped from the log'],
  ],
  ['last', { ...running, output: { ...output, lastOutputAt: 7_000 } }, ['output at 1970-01-01 01:00:07']],
  ['log', { ...running, output: { ...output, logFile: '/a.log' } }, ['/a.log']],
  ['survivors', { ...running, survivors: [{ pid: 7, command: 'a\n b' }] }, ['7 a ⏎ b']],
  ['survivors', { ...running, survivors: [] }, []],
  ['alive', { ...running, because: 'it ignores SIGKILL' }, ['it ignores SIGKILL']],
  ['leftovers', { ...ended, leftovers: [{ pid: 7, command: 'a' }] }, ['7 a']],
  ['suspects', { ...ended, suspects: [{ pid: 8, command: 'b' }] }, ['8 b']],
  [
    'survivors',
    { ...ended, receipt: { survivors: [{ pid: 9, command: 'c' }], leftoversEnded: [] } },
    ['9 c'],
  ],
  [
    'also ended',
    { ...ended, receipt: { survivors: [], leftoversEnded: [{ pid: 10, command: 'd' }] } },
    ['10 d'],
  ],
  [
    'metadata',
    { ...running, metadata: { note: 'x', count: 3, none: undefined } },
    ['note: x', 'count: 3', 'none: undefined'],
  ],
])('the fact "%s" of %j is %j', (name, view, texts) => {
  expect(factOf(name, view)).toEqual(texts);
});

test.each([
  [{ supervisorId: 'sup_a' }, running, ['sup_a']],
  [{ supervisorId: 'sup_a', answered: true }, running, ['sup_a']],
  [
    { supervisorId: 'sup_a', answered: false },
    running,
    ['sup_a, which does not answer: state as last recorded'],
  ],
  [{ supervisorId: 'sup_a', answered: false }, ended, ['sup_a']],
  [{}, running, []],
])('a supervisor seen as %j is named', (seen, view, texts) => {
  expect(factOf('supervisor', view, seen)).toEqual(texts);
});

test('a text of several lines is indented below its name', () => {
  const rows = renderProcessFacts(
    { view: runningView({ commandLine: 'a\nb' }), timeline: [] },
    plainPage(80),
  );

  expect(rows.slice(2, 4)).toEqual(['  command    a', '             b']);
});

test('the timeline counts from the creation, and names who did it', () => {
  const timeline = [
    { at: 900, type: 'process.created' },
    { at: 4_000, type: 'process.killed', by: 'user', detail: 'enough\nof it' },
    { at: 5_000, type: 'process.secretWritten' },
  ] as unknown as ProcessFacts['timeline'];

  expect(render(runningView({ createdAt: 1_000 }), { timeline }).slice(-4)).toEqual([
    '+0 ms      created',
    '+3s        killed by the user: enough',
    'of it',
    '+4s        secret written',
  ]);
});
