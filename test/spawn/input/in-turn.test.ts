import { expect, test } from 'vitest';
import type { WriteResult } from '../../../machines/process/events.ts';
import { createInTurn } from '../../../src/spawn/input/in-turn.ts';
import { refuseWrite } from '../../../src/spawn/tree-commands.ts';

const taken: WriteResult = { ok: true, bytesWritten: 1 };
const unread = refuseWrite('notReading', 'It does not read.');

/** Orders that note with which patience they were carried out. */
function arrange() {
  const patience: number[] = [];
  const inTurn = createInTurn();
  const order = (result: WriteResult) =>
    inTurn(async (patienceMs) => {
      patience.push(patienceMs);
      return result;
    });
  return { patience, order };
}

test('who stood behind an unread order waits no more', async () => {
  const { patience, order } = arrange();

  await Promise.all([order(taken), order(unread), order(unread), order(taken)]);

  expect(patience).toEqual([10_000, 10_000, 0, 0]);
});

test('whoever tries again after a refusal waits anew', async () => {
  const { patience, order } = arrange();

  const again = [order(unread), order(unread)].map((first) => first.then(() => order(unread)));
  await Promise.all(again);

  expect(patience).toEqual([10_000, 0, 10_000, expect.any(Number)]);
});

test('another refusal leaves the next its patience', async () => {
  const { patience, order } = arrange();

  await Promise.all([order(refuseWrite('broken', 'It broke.')), order(taken)]);

  expect(patience).toEqual([10_000, 10_000]);
});
