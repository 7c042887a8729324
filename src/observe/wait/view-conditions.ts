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
          if (!hasEnded) impossible('its supervisor ended, so no event of it will arrive here');
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

/** Holds when the process is ready as declared at its start. */
export function readyCondition(handle: ProcessHandle): WaitCondition {
  return {
    name: 'ready',
    watch: ({ holds, impossible }) => {
      const subscription = handle.view$.subscribe((view) => {
        if (!('ready' in view)) return;
        const { ready } = view;
        if (ready.state === 'ready') holds();
        if (ready.state === 'failed') impossible(ready.why);
        if (ready.state === 'undeclared') impossible('it was started without a readiness condition');
      });
      return () => subscription.unsubscribe();
    },
  };
}

/** Time without output before the process is inspected again, since a line may continue. */
const quietMs = 300;

/** Holds when the process waits for input. */
export function inputCondition({ handle, clock }: { handle: ProcessHandle; clock: Clock }): WaitCondition {
  return {
    name: 'input',
    watch: ({ holds, impossible }) => {
      if (!handle.takesInput) {
        impossible('it has neither a terminal nor an open pipe for its input');
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
        // The view itself is refreshed less and less often, up to ten seconds apart.
        keep(poll(clock, async () => (isQuiet() ? look() : undefined)));
      };
      /** The watch may end before there is anything to cancel. */
      const keep = (cancel: Cancel) => (isOver ? cancel() : void cancels.push(cancel));
      const isQuiet = () => clock.epochMs() - (handle.view().output.lastOutputAt ?? 0) >= quietMs;
      // The view may be some seconds old, and input may have arrived meanwhile. After an inspection it only
      // reports news.
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
