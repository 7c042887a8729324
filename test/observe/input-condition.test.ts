import { BehaviorSubject } from 'rxjs';
import { expect, test } from 'vitest';
import { inputCondition } from '../../src/observe/wait/view-conditions.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import type { AwaitedInput, ProcessView } from '../../src/process/process-view.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { settle } from '../readiness/rig.ts';

const asked: AwaitedInput = { kind: 'line', certainty: 'known', prompt: 'name?', since: 0 };

test('a wait that has been answered meanwhile does not count', async () => {
  const given = watchInput({ shown: asked, seen: null });

  await settle();
  const early = given.held;
  given.show(asked);

  expect([early, given.held]).toEqual([0, 1]);
});

test('a wait that a look sees counts at once', async () => {
  const given = watchInput({ shown: null, seen: asked });

  await settle();

  expect(given.held).toBe(1);
});

test('a wait for input that begins late is seen soon', async () => {
  const given = watchInput({ shown: null, seen: null });
  await given.advance(5_000);
  const early = given.held;

  given.ask();
  await given.advance(500);

  expect([early, given.held]).toEqual([0, 1]);
});

test('a line that may continue is not inspected', async () => {
  const given = watchInput({ shown: null, seen: null });
  await given.advance(1_000);

  given.print();
  given.ask();
  await given.advance(250);
  const early = given.held;
  await given.advance(500);

  expect([early, given.held]).toEqual([0, 1]);
});

test('a wait for input leaves no timer behind', async () => {
  const given = watchInput({ shown: null, seen: null });
  await given.advance(1_000);
  const during = given.clock.pending;

  given.cancel();
  await given.advance(1_000);

  expect([during, given.clock.pending]).toEqual([1, 0]);
});

test('an ended wait is not notified', async () => {
  const given = watchInput({ shown: null, seen: asked });

  given.cancel();
  await settle();

  expect(given.held).toBe(0);
});

/** `shown` stands in the view from before; `seen` is how it is. */
function watchInput({ shown, seen }: Record<'shown' | 'seen', AwaitedInput | null>) {
  const clock = createVirtualClock();
  let lastOutputAt: number | null = null;
  let isSeen = seen;
  const toView = (awaitsInput: AwaitedInput | null) =>
    ({ awaitsInput, output: { lastOutputAt } }) as ProcessView;
  const view$ = new BehaviorSubject(toView(shown));
  const look = async () => {
    view$.next(toView(isSeen));
    return isSeen;
  };
  const view = () => toView(isSeen);
  const handle = { takesInput: true, view, view$, awaitedInput: look } as unknown as ProcessHandle;
  let held = 0;
  const cancel = inputCondition({ handle, clock }).watch({
    holds: () => {
      held += 1;
      // As `waitFor` does.
      cancel();
    },
    impossible: (why) => expect.fail(why),
  });
  return {
    cancel,
    clock,
    /** In steps: after each look the next one is only arranged when it has answered. */
    advance: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        clock.advance(50);
        await settle();
      }
    },
    ask: () => {
      isSeen = asked;
    },
    print: () => {
      lastOutputAt = clock.epochMs();
    },
    show: (awaited: AwaitedInput) => view$.next(toView(awaited)),
    get held() {
      return held;
    },
  };
}
