import { expect, test, vi } from 'vitest';
import { pause } from '../../src/clock/pause.ts';
import { createVirtualClock } from '../../src/testing/index.ts';

function arrange(signal?: AbortSignal) {
  const clock = createVirtualClock();
  const [resolved, rejected] = [vi.fn(), vi.fn()];
  const over = pause(clock, { ms: 100, signal }).then(resolved, rejected);
  return { clock, resolved, rejected, over };
}

test('a pause ends at its time', async () => {
  const { clock, resolved, over } = arrange();

  clock.advance(99);
  await Promise.resolve();
  expect(resolved).not.toHaveBeenCalled();
  clock.advance(1);
  await over;

  expect(resolved).toHaveBeenCalled();
});

test('an abort ends a pause with its reason, and its timer', async () => {
  const controller = new AbortController();
  const { clock, rejected, resolved, over } = arrange(controller.signal);

  controller.abort('enough');
  await over;
  clock.advance(1_000);

  expect(rejected).toHaveBeenCalledWith('enough');
  expect(resolved).not.toHaveBeenCalled();
});

test('a pause after an abort does not begin', async () => {
  const { rejected, over } = arrange(AbortSignal.abort('enough'));

  await over;

  expect(rejected).toHaveBeenCalledWith('enough');
});

test('a pause that is over listens no longer', async () => {
  const { signal } = new AbortController();
  const remove = vi.spyOn(signal, 'removeEventListener');
  const { clock, over } = arrange(signal);

  clock.advance(100);
  await over;

  expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
});
