import { expect, test } from 'vitest';
import { confirmRecorded } from '../../src/tools/answer-text.ts';

test('confirmRecorded calls back at once', () => {
  const told: number[] = [];

  confirmRecorded({ ok: true, data: 1, onRecorded: () => void told.push(1) });
  confirmRecorded({ ok: true, data: 1 });

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
] as const)('a listener that %s does not disturb the others', async ([, onRecorded]) => {
  const { promise: warned, resolve: note } = Promise.withResolvers<void>();
  // Other tests in the same program may warn of something, too.
  const onWarning = ({ message }: Error) => message === 'broken' && note();
  process.on('warning', onWarning);

  confirmRecorded({ ok: true, data: 1, onRecorded: () => onRecorded() });

  await expect(warned).resolves.toBeUndefined();
  process.off('warning', onWarning);
});
