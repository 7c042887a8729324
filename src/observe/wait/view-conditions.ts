import { isFinal } from '../../../machines/process/view.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { poll } from '../../readiness/poll.ts';
import type { WaitCondition } from './wait-condition.ts';

/** Holds when the process has ended, with all of its output. */
export function exitCondition(handle: ProcessHandle): WaitCondition {
  return {
    name: 'exit',
    watch: ({ holds, impossible }) => {
      let hasEnded = false;
      const subscription = handle.view$.subscribe({
        next: ({ status }) => {
          hasEnded = isFinal(status);
          if (hasEnded) holds();
        },
        complete: () => {
          if (!hasEnded) impossible('its supervisor ended, and nobody here will hear of it');
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

/** Holds when the process is ready, by what was declared at its start. */
export function readyCondition(handle: ProcessHandle): WaitCondition {
  return {
    name: 'ready',
    watch: ({ holds, impossible }) => {
      const subscription = handle.view$.subscribe((view) => {
        if (!('ready' in view)) return;
        const { ready } = view;
        if (ready.state === 'ready') holds();
        if (ready.state === 'failed') impossible(ready.why);
        if (ready.state === 'undeclared') impossible('nothing was said at its start of when it is ready');
      });
      return () => subscription.unsubscribe();
    },
  };
}

/** So long nothing was printed before it is looked again: a line may go on. */
const quietMs = 300;

/** Holds when the process waits for somebody to type. */
export function inputCondition({ handle, clock }: { handle: ProcessHandle; clock: Clock }): WaitCondition {
  return {
    name: 'input',
    watch: ({ holds, impossible }) => {
      if (!handle.takesInput) {
        impossible('it has neither a terminal nor a pipe for its input');
        return () => {};
      }
      const cancels: Cancel[] = [];
      let isOver = false;
      const look = async () => {
        if ((await handle.awaitedInput()) !== null && !isOver) holds();
      };
      const follow = () => {
        const subscription = handle.view$.subscribe(({ awaitsInput }) => {
          if (awaitsInput !== null) holds();
        });
        keep(() => subscription.unsubscribe());
        // Whoever keeps the view looks ever more seldom, up to ten seconds apart.
        keep(poll(clock, async () => (isQuiet() ? look() : undefined)));
      };
      /** It may be over before there is anything to cancel. */
      const keep = (cancel: Cancel) => (isOver ? cancel() : void cancels.push(cancel));
      const isQuiet = () => clock.epochMs() - (handle.view().output.lastOutputAt ?? 0) >= quietMs;
      // What the view shows may be some seconds old, and somebody may have typed meanwhile. Behind a look it only tells of what is new.
      void look().then(() => {
        if (!isOver) follow();
      });
      return () => {
        isOver = true;
        for (const cancel of cancels) cancel();
      };
    },
  };
}
