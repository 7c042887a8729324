import { expect, test } from 'vitest';
import { createVirtualHarness } from '../support/virtual.ts';

function open() {
  return createVirtualHarness().supervisor;
}

test('an owner contains its descendants at any depth', async () => {
  await using supervisor = open();
  supervisor.adopt('child', { parent: 'parent' });
  supervisor.adopt('grandchild', { parent: 'child' });

  const below = ['parent', 'child', 'grandchild', 'stranger'].map((owner) =>
    supervisor.isWithin(owner, 'parent'),
  );

  expect(below).toEqual([true, true, true, false]);
  expect(supervisor.isWithin('parent', 'grandchild')).toBe(false);
  expect(supervisor.isWithin('child', 'grandchild')).toBe(false);
});

test('a list shows children only when asked', async () => {
  await using supervisor = open();
  supervisor.adopt('child', { parent: 'parent' });
  const [own, below] = ['parent', 'child', 'stranger'].map((owner) =>
    supervisor.start({ command: 'sleep 1', owner, background: true }),
  );
  const ids = (filter: Parameters<typeof supervisor.list>[0]) => supervisor.list(filter).map(({ id }) => id);

  expect(ids({ owner: 'parent' })).toEqual([own?.id]);
  expect(ids({ owner: 'parent', children: true })).toEqual([own?.id, below?.id]);
  expect(ids({ owner: 'child', children: true })).toEqual([below?.id]);
});

test('an owner that left has no parent', async () => {
  await using supervisor = open();
  const leave = supervisor.adopt('child', { parent: 'parent' });
  leave();
  supervisor.adopt('child', { parent: 'other' });
  leave();

  expect(supervisor.isWithin('child', 'parent')).toBe(false);
  expect(supervisor.isWithin('child', 'other')).toBe(true);
});

test.each(['parent', 'grandchild'])('an owner cannot be placed below itself: %s', async (parent) => {
  await using supervisor = open();
  supervisor.adopt('child', { parent: 'parent' });
  supervisor.adopt('grandchild', { parent: 'child' });

  expect(() => supervisor.adopt('parent', { parent })).toThrow(
    `adopt: the parent of "parent" is "${parent}"; expected an owner that is not below it.`,
  );
});
