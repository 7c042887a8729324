import { rmSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  createMemoryRecordStore,
  createSupervisor,
  type ProcessRecord,
  type Supervisor,
} from '../../src/index.ts';
import {
  createScriptedBackend,
  createVirtualClock,
  type ScriptedBackendOptions,
} from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';
import { turn } from '../support/virtual.ts';

const interactive = {
  command: ['editor'] as [string],
  interactive: true,
  lifetime: 'persistent',
  background: true,
} as const;

/** Supervisors of one state directory, of which each has the backend that it is given. */
function openTheatre() {
  const place = tempDir();
  onTestFinished(async () => {
    await turn();
    place.remove();
  });
  const records = createMemoryRecordStore<ProcessRecord>();
  const follow = (options: ScriptedBackendOptions) => {
    const clock = createVirtualClock();
    const backend = createScriptedBackend(undefined, options);
    const supervisor = createSupervisor({
      clock,
      backend,
      stateDirectory: place.path,
      records,
      control: false,
    });
    return { supervisor, backend, clock };
  };
  const die = ({ id }: Supervisor) => rmSync(place.file(`supervisors/${id}.json`), { force: true });
  const begin = (count: number) => {
    const { supervisor, clock } = follow({ durable: true, terminal: true });
    const ids = Array.from({ length: count }, () => supervisor.start(interactive).id);
    clock.advance(100);
    die(supervisor);
    return ids;
  };
  return { records, follow, die, begin };
}

test('a process that cannot be adopted here is left to others', () => {
  const { records, follow, die, begin } = openTheatre();
  const [id = ''] = begin(1);
  const before = records.read(id);
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => emitWarning.mockRestore());

  const without = follow({ durable: true });
  const { recovered } = without.supervisor;

  expect(recovered).toMatchObject({ adopted: [], lost: [], ended: 0, damaged: [] });
  expect(recovered.problem).toContain(`Process ${id} was left as it is`);
  expect(emitWarning.mock.calls).toEqual([[recovered.problem, 'TroupeRecoveryWarning']]);
  expect(records.read(id)).toEqual(before);
  expect(without.backend.runs).toEqual([]);
  die(without.supervisor);
  expect(follow({ durable: true, terminal: true }).supervisor.recovered).toMatchObject({
    adopted: [id],
    problem: null,
  });
});

test('many that are left alone are one sentence', () => {
  const { follow, begin } = openTheatre();
  const ids = begin(5);

  const { problem } = follow({}).supervisor.recovered;

  expect(problem).toContain(
    `5 processes were left as they are: ${ids.slice(0, 3).join(', ')} and 2 more. They`,
  );
  expect(problem).toContain('Leave that option out');
  expect(problem).toContain(`"troupe kill ${ids.join(' ')}" ends them.`);
});

test('a stop that was under way waits with its process', () => {
  const { records, follow, die, begin } = openTheatre();
  const [id = ''] = begin(1);
  const record = records.read(id) as ProcessRecord;
  const stop = { cause: { type: 'kill', by: 'user' }, signal: 'SIGTERM', graceMs: 100, escalated: false };
  records.save(id, { ...record, revival: { ...record.revival, stop } } as ProcessRecord);

  const without = follow({});
  without.clock.advance(1_000);
  die(without.supervisor);

  expect(records.read(id)?.revival?.stop).toEqual(stop);
});

test('a process never survives its machine', () => {
  const { records, follow, begin } = openTheatre();
  const [id = ''] = begin(1);
  const record = records.read(id) as ProcessRecord;
  records.save(id, { ...record, scope: { ...record.scope, bootId: 'another' } });

  const { supervisor } = follow({});

  expect(supervisor.recovered.problem).toBeNull();
  expect(supervisor.get(id)?.view()).toMatchObject({
    status: 'lost',
    reason: { why: 'the machine was restarted since' },
  });
});
