import { expect, test } from 'vitest';
import type { ProcessPlan } from '../../src/process/process-plan.ts';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import type { SupervisorState } from '../../src/store/supervisor-registry.ts';
import { findStarted } from '../../src/supervisor/find-started.ts';
import type { Runtime } from '../../src/supervisor/runtime.ts';
import type { SupervisorDeps } from '../../src/supervisor/supervisor-deps.ts';
import { runningView } from '../support/views.ts';

const plan = { id: 'build-7', commandLine: 'make', cwd: '/app', fingerprint: 'f1' } as ProcessPlan;
const scope = { bootId: 'boot', pidNamespace: 'pid:[1]' };
const view = runningView({ id: 'build-7', commandLine: 'make', cwd: '/app', mode: 'tmux' });

/** Looks for a process that is registered, recorded or forgotten. */
function find({
  known = undefined as Partial<ProcessPlan> | undefined,
  record = null as object | null,
  reading = undefined as object | null | undefined,
  isForgotten = false,
  state = 'dead' as SupervisorState,
}) {
  const recorded =
    record === null ? null : { scope, view, supervisorId: 'sup_b', revival: null, timeline: [], ...record };
  const runtime = {
    records: { flush: () => {} },
    registry: {
      get: () => (known === undefined ? undefined : { plan: { ...plan, ...known } }),
      isForgotten: () => isForgotten,
    },
  } as unknown as Runtime;
  const deps = {
    ...{ supervisorId: 'sup_a', scope, settings: { backend: undefined }, durableBackend: null },
    terminals: { tmux: () => ({ why: 'tmux is not installed', remedy: 'Install tmux' }) },
    supervisors: { stateOf: () => state },
    store: {
      inspect: () =>
        reading !== undefined
          ? reading
          : recorded === null
            ? null
            : { ok: true, record: recorded as unknown as ProcessRecord },
    },
  } as unknown as SupervisorDeps;
  return () => findStarted(plan, { runtime, deps });
}

const taken = (clause: string) =>
  expect.objectContaining({
    code: 'duplicate',
    message: `start: the id "build-7" is taken: the process ${clause}. Nothing was started. Use another id for another start.`,
  });

test('an unused id has no process, and a registered one is found', () => {
  expect(find({})()).toBeNull();
  expect(find({ known: {} })()).toMatchObject({ plan: { id: 'build-7' } });
});

test('an id whose end was dropped is taken', () => {
  expect(find({ isForgotten: true })).toThrow(
    taken(
      'was started here and has ended; its end is no longer kept, because more than "maxFinished" ended later',
    ),
  );
});

test.each([
  [
    { fingerprint: 'f2', commandLine: 'make all' },
    'was started with another command: make all in /app, not make in /app',
  ],
  [{ fingerprint: 'f2', cwd: '/' }, 'was started with another command: make in /, not make in /app'],
  [
    { fingerprint: 'f2' },
    'was started with another command: make in /app, with other input, or another shell',
  ],
  [{ fingerprint: '', cwd: '/' }, 'was started with another command: make in /, not make in /app'],
  [
    { fingerprint: '', commandLine: 'x'.repeat(99) },
    `was started with another command: ${'x'.repeat(79)}… in /app, not make in /app`,
  ],
])('an id of another command is taken (%#)', (known, clause) => {
  expect(find({ known })).toThrow(taken(clause));
});

test('a process with secrets is compared by its command and directory', () => {
  expect(find({ known: { fingerprint: '' } })()).not.toBeNull();
});

test('a record that cannot be used takes its id', () => {
  expect(find({ reading: { ok: false, why: 'it is empty' } })).toThrow(
    taken('has a record that cannot be used: it is empty. Whether its command ran is unknown'),
  );
});

const likeness = { likeness: 'f1' };

test.each([
  [
    { supervisorId: 'sup_a' },
    'alive',
    'was left running by this supervisor, which has shut down: make (backgrounded)',
  ],
  [
    {},
    'alive',
    'runs under the supervisor sup_b of another program: make (backgrounded). Start it there, or follow it with "troupe wait build-7"',
  ],
  [
    {},
    'elsewhere',
    'belongs to the supervisor sup_b of another program, and whether that is alive is unknown: make (backgrounded)',
  ],
  [
    { revival: { size: { columns: 80, rows: 24 }, likeness: 'f1' } },
    'dead',
    'cannot be adopted. Process build-7 was left as it is: it was started in tmux, and tmux is not installed. Install tmux: the next supervisor then adopts it. "troupe kill build-7" ends it.',
  ],
] as const)('a live process out of reach takes its id (%#)', (record, state, clause) => {
  expect(find({ record: { ...likeness, ...record }, state })).toThrow(taken(clause));
});

test('a recorded process of another command says so first', () => {
  expect(find({ record: { likeness: 'f2' }, state: 'alive' })).toThrow(
    taken('was started with another command: make in /app, with other input, or another shell'),
  );
});
