import { BehaviorSubject } from 'rxjs';
import { expect, test } from 'vitest';
import { inputCondition } from '../../src/observe/wait/view-conditions.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import type { AwaitedInput, ProcessView } from '../../src/process/process-view.ts';
import { settle } from '../supervisor/readiness/rig.ts';

const asked: AwaitedInput = { kind: 'line', certainty: 'known', prompt: 'name?', since: 0 };

test('a wait that has been answered meanwhile does not count', async () => {
  const given = watchInput({ shown: asked, seen: null });

  await settle();
  const early = given.held;
  given.show(asked);

  expect([early, given.held]).toEqual([0, 1]);
});

test('what a look sees counts at once', async () => {
  const given = watchInput({ shown: null, seen: asked });

  await settle();

  expect(given.held).toBe(1);
});

test('a wait that is over hears of nothing', async () => {
  const given = watchInput({ shown: null, seen: asked });

  given.cancel();
  await settle();

  expect(given.held).toBe(0);
});

/** `shown` stands in the view from before; `seen` is how it is. */
function watchInput({ shown, seen }: Record<'shown' | 'seen', AwaitedInput | null>) {
  const toView = (awaitsInput: AwaitedInput | null) => ({ awaitsInput }) as ProcessView;
  const view$ = new BehaviorSubject(toView(shown));
  const look = async () => {
    view$.next(toView(seen));
    return seen;
  };
  const handle = { takesInput: true, view$, awaitedInput: look } as unknown as ProcessHandle;
  let held = 0;
  const cancel = inputCondition(handle).watch({
    holds: () => {
      held += 1;
    },
    impossible: (why) => expect.fail(why),
  });
  return {
    cancel,
    show: (awaited: AwaitedInput) => view$.next(toView(awaited)),
    get held() {
      return held;
    },
  };
}
