import { createLineSearch, type Wanted } from '../../output/line-search.ts';
import type { StreamPositions } from '../../output/output-chunk.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { WaitCondition } from './wait-condition.ts';

/** Characters searched in one turn of the event loop. */
const MAX_CHARS_A_TURN = 128 * 1024;
/** Waiting output beyond this is searched as it arrives. */
const MAX_WAITING_CHARS = 1024 * 1024;

/** Holds when the text or pattern is found in the output after `from`, even if printed before the wait began. */
export function outputCondition(
  wanted: Wanted,
  { handle, from }: { handle: ProcessHandle; from: StreamPositions | number },
): WaitCondition {
  const searched = Promise.withResolvers<boolean>();
  return {
    name: wanted.type,
    watch: ({ holds, impossible }) => {
      const output = createLineSearch(wanted, { from, maxLines: 1 });
      let isOver = false;
      let scheduled: NodeJS.Immediate | null = null;

      const unschedule = () => {
        if (scheduled !== null) clearImmediate(scheduled);
        scheduled = null;
      };
      const look = (maxChars: number) => {
        unschedule();
        if (isOver) return;
        const found = output.search({ maxChars });
        if (found.type === 'problem') {
          isOver = true;
          searched.resolve(false);
          impossible(found.problem);
        } else if (found.count > 0) {
          isOver = true;
          searched.resolve(true);
          holds();
        } else if (output.waitingChars > 0) lookNextTurn();
      };
      const lookNextTurn = () => {
        scheduled ??= setImmediate(look, MAX_CHARS_A_TURN);
      };
      const subscription = handle.output$.subscribe({
        next: (piece) => {
          if (isOver) return;
          output.push(piece);
          if (output.waitingChars > MAX_WAITING_CHARS) look(MAX_CHARS_A_TURN);
          // A search costs a millisecond, so there is one per turn of the event loop.
          else lookNextTurn();
        },
        // The last output counts. Output in memory completes before the end of the process is reported; a
        // file may not.
        complete: () => {
          look(Number.POSITIVE_INFINITY);
          searched.resolve(false);
        },
      });
      return () => {
        isOver = true;
        subscription.unsubscribe();
        unschedule();
      };
    },
    settled: () => searched.promise,
  };
}
