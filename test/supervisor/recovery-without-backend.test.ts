import { expect, onTestFinished, test, vi } from 'vitest';
import type { ProcessRecord } from '../../src/index.ts';
import { openDirectoryHarness } from '../support/directory.ts';

const interactive = {
  command: ['editor'] as [string],
  interactive: true,
  lifetime: 'persistent',
  background: true,
} as const;

/** Opens a directory in which `begin` leaves live processes in terminals behind. */
function openTerminals() {
  const directory = openDirectoryHarness();
  const { open, crash } = directory;
  const begin = (count: number) => {
    const { supervisor, clock } = open({ hasTerminal: true });
    const ids = Array.from({ length: count }, () => supervisor.start(interactive).id);
    clock.advance(100);
    crash(supervisor);
    return ids;
  };
  return { ...directory, begin };
}

test('a process that cannot be adopted here is left to others', () => {
  const { records, open, crash, begin } = openTerminals();
  const [id = ''] = begin(1);
  const before = records.read(id);
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => emitWarning.mockRestore());

  const without = open();
  const { recovered } = without.supervisor;

  expect(recovered).toMatchObject({ adopted: [], lost: [], ended: 0, damaged: [] });
  expect(recovered.problem).toContain(`Process ${id} was left as it is`);
  expect(emitWarning.mock.calls).toEqual([[recovered.problem, 'TroupeRecoveryWarning']]);
  expect(records.read(id)).toEqual(before);
  expect(without.backend.runs).toEqual([]);
  crash(without.supervisor);
  expect(open({ hasTerminal: true }).supervisor.recovered).toMatchObject({
    adopted: [id],
    problem: null,
  });
});

test('many that are left alone are one sentence', () => {
  const { open, begin } = openTerminals();
  const ids = begin(5);

  const { problem } = open({ durable: false }).supervisor.recovered;

  expect(problem).toContain(
    `5 processes were left as they are: ${ids.slice(0, 3).join(', ')} and 2 more. They`,
  );
  expect(problem).toContain('Leave that option out');
  expect(problem).toContain(`"troupe kill ${ids.join(' ')}" ends them.`);
});

test('a stop that was under way waits with its process', () => {
  const { records, open, crash, begin } = openTerminals();
  const [id = ''] = begin(1);
  const record = records.read(id) as ProcessRecord;
  const stop = { cause: { type: 'kill', by: 'user' }, signal: 'SIGTERM', graceMs: 100, escalated: false };
  records.save(id, { ...record, revival: { ...record.revival, stop } } as ProcessRecord);

  const without = open({ durable: false });
  without.clock.advance(1_000);
  crash(without.supervisor);

  expect(records.read(id)?.revival?.stop).toEqual(stop);
});

test('a process never survives its machine', () => {
  const { records, open, begin } = openTerminals();
  const [id = ''] = begin(1);
  const record = records.read(id) as ProcessRecord;
  records.save(id, { ...record, scope: { ...record.scope, bootId: 'another' } });

  const { supervisor } = open({ durable: false });

  expect(supervisor.recovered.problem).toBeNull();
  expect(supervisor.get(id)?.view()).toMatchObject({
    status: 'lost',
    reason: { why: 'the machine was restarted since' },
  });
});
