import { expect, test } from 'vitest';
import { finalStatuses } from '../../machines/process/view.ts';
import type { CommandSpec } from '../../src/config/process-spec.ts';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import { hasEndedRecord } from '../../src/process/read-record.ts';
import { createMemoryRecordStore } from '../../src/store/memory-record-store.ts';
import { openDirectoryHarness } from '../support/directory.ts';

/** Returns the record of a process before and after its end. */
async function writeBoth(spec: CommandSpec): Promise<{ live: string; ended: string; status: string }> {
  const texts = new Map<string, string>();
  const records = createMemoryRecordStore<ProcessRecord>({ texts });
  const { supervisor } = openDirectoryHarness().open({ records, script: (run) => run.comeUp() });
  const handle = supervisor.start({ ...spec, background: true });
  const live = texts.get(handle.id) ?? '';
  await handle.kill();
  const { status } = await handle.ended;
  await supervisor.shutdown();
  return { live, ended: texts.get(handle.id) ?? '', status };
}

test('the beginning of a record tells whether it ended', async () => {
  const { live, ended, status } = await writeBoth({ command: ['sleep', '1000'] });

  expect(status).toBe('killed');
  expect([live, ended].map((text) => hasEndedRecord(text.slice(0, 64)))).toEqual([false, true]);
});

test('a command with words of an end does not end a record', async () => {
  const words = '{"version":1,"view":{"status":"killed","endedAt":1}}';
  const { live } = await writeBoth({
    command: ['sleep', '1000'],
    label: words,
    metadata: { status: 'lost' },
  });

  expect(live).toContain('killed');
  expect(hasEndedRecord(live)).toBe(false);
});

test.each(finalStatuses)('the first 64 bytes of a record tell %s', (status) => {
  const text = JSON.stringify({ version: 1, view: { status, leftovers: [], id: 'tool_22222222' } });

  expect(hasEndedRecord(text.slice(0, 64))).toBe(true);
});

test.each(finalStatuses)('the first 80 bytes of a record tell suspects of %s', (status) => {
  const text = JSON.stringify({ version: 1, view: { status, leftovers: [], suspects: [{ pid: 2 }] } });

  expect(hasEndedRecord(text.slice(0, 80))).toBe(false);
});

test('a record with leftovers has to be parsed', () => {
  const view = { status: 'completed', leftovers: [{ pid: 2 }], id: 'tool_22222222' };

  expect(hasEndedRecord(JSON.stringify({ version: 1, view }))).toBe(false);
});

test.each([
  '',
  '{"version":1,"supervisorId":"sup_a","view":{"status":"killed"}}',
  '{"version":2,"view":{"status":"killed"',
  '{"version":1,"view":{"status":"running"',
  '{"version":1,"view":{"status":"killed_',
  ' {"version":1,"view":{"status":"killed"',
])('a record that begins with %j has to be parsed', (beginning) => {
  expect(hasEndedRecord(beginning)).toBe(false);
});
