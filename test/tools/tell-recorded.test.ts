import { once } from 'node:events';
import { expect, test } from 'vitest';
import { tellRecorded } from '../../src/tools/tell-recorded.ts';

test('who is told is told at once', () => {
  const told: number[] = [];

  tellRecorded({ ok: true, data: 1, onRecorded: () => void told.push(1) });
  tellRecorded({ ok: true, data: 1 });

  expect(told).toEqual([1]);
});

test.for([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('broken');
    },
  ],
] as const)('who %s when told harms nobody', async ([, onRecorded]) => {
  const warned = once(process, 'warning');

  tellRecorded({ ok: true, data: 1, onRecorded: () => onRecorded() });

  expect(await warned).toMatchObject([{ message: 'broken' }]);
});
