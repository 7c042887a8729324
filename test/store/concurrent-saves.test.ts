import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createFileRecordStore } from '../../src/store/file-record-store.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { isWhole, parseNote } from './note.ts';

const withinMs = 60_000;
const program = new URL('programs/keeps-saving.ts', import.meta.url).pathname;

function arrange() {
  const temp = tempDir();
  onTestFinished(() => temp.remove());
  const [directory, stopped] = [temp.file('processes'), temp.file('stopped')];
  const open = (hoursLater = 0) =>
    createFileRecordStore({
      directory,
      parse: parseNote,
      clock: { epochMs: () => Date.now() + hoursLater * 3_600_000 },
    });
  const start = (name: string) => {
    const child = spawn(process.execPath, [program, directory, name, stopped], { stdio: 'inherit' });
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    return { child, ended };
  };
  return { directory, open, start, stop: () => writeFileSync(stopped, '') };
}

test('a program that is killed while it saves leaves whole records', { timeout: 180_000 }, async () => {
  const { directory, open, start } = arrange();
  const store = open();
  let known = 0;

  for (let round = 0; round < 20; round += 1) {
    const name = `r${round}x`;
    const { child, ended } = start(name);
    const enough = 1 + Math.floor(Math.random() * 40);
    await waitUntil(
      () => {
        const shared = store.read('tool_shared');
        return shared?.text.startsWith(name) && (shared.at ?? 0) >= enough;
      },
      { withinMs },
    );
    child.kill('SIGKILL');
    await ended;

    const { records, damaged } = store.load();
    expect(damaged).toEqual([]);
    expect(records.every(isWhole)).toBe(true);
    expect(records.length).toBeGreaterThanOrEqual(known);
    known = records.length;
  }

  expect(known).toBeGreaterThan(20);
  open(2).load();
  expect(readdirSync(directory).filter((each) => !each.endsWith('.json'))).toEqual([]);
});

test('programs that save at once both win or lose as a whole', { timeout: 90_000 }, async () => {
  const { directory, open, start, stop } = arrange();
  const store = open();
  const both = [start('one'), start('other')];

  const names = new Set<string>();
  let missing = 0;
  let torn = 0;
  let turns = 0;
  let last = '';
  await waitUntil(
    () => {
      const shared = store.read('tool_shared');
      if (shared === null && names.size > 0) missing += 1;
      if (shared !== null && !isWhole(shared)) torn += 1;
      const name = shared?.text.startsWith('one') ? 'one' : 'other';
      if (shared !== null) names.add(name);
      if (names.size === 2 && name !== last) turns += 1;
      last = name;
      return turns >= 20;
    },
    { withinMs },
  );
  stop();

  expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([
    [0, null],
    [0, null],
  ]);
  expect({ missing, torn }).toEqual({ missing: 0, torn: 0 });
  expect([...names].sort()).toEqual(['one', 'other']);
  const { records, damaged } = store.load();
  expect(damaged).toEqual([]);
  expect(records).toHaveLength(11);
  expect(records.every(isWhole)).toBe(true);
  expect(readdirSync(directory).filter((each) => !each.endsWith('.json'))).toEqual([]);
});
