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
  const { promise: warned, resolve: note } = Promise.withResolvers<void>();
  // Others in the same program may warn of something, too.
  const onWarning = ({ message }: Error) => message === 'broken' && note();
  process.on('warning', onWarning);

  tellRecorded({ ok: true, data: 1, onRecorded: () => onRecorded() });

  await expect(warned).resolves.toBeUndefined();
  process.off('warning', onWarning);
});
