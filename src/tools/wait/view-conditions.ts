import type { ProcessHandle } from '../../process/process-handle.ts';
import { isEnded } from '../process-summary.ts';
import type { WaitCondition } from './wait-condition.ts';

/** Holds when the process has ended, with all of its output. */
export function exitCondition(handle: ProcessHandle): WaitCondition {
  return {
    name: 'exit',
    watch: ({ holds }) => {
      const subscription = handle.view$.subscribe((view) => {
        if (isEnded(view)) holds();
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
