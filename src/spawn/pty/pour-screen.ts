import type { OutputSink } from '../../output/output-sink.ts';
import type { Screen } from '../terminal/screen.ts';
import type { PtyChild } from './pty-child.ts';

/**
 * Pours a terminal into the sink and onto the screen as it comes, and says once that it has ended. It is held while either is
 * behind: drawing takes longer than printing, and the program then waits.
 */
export function pourScreen(
  child: PtyChild,
  { sink, screen, onEnded }: { sink: OutputSink; screen: Screen; onEnded: () => void },
): void {
  let holds = 0;
  const hold = (whenFree: (callback: () => void) => void) => {
    holds += 1;
    child.pause();
    whenFree(() => {
      holds -= 1;
      if (holds === 0) child.resume();
    });
  };
  child.read({
    onBytes: (bytes) => {
      // First: whoever hears of the output looks at the screen at once.
      if (!screen.feed(bytes)) hold((free) => screen.whenCaughtUp(free));
      if (!sink.write('screen', bytes)) hold((free) => sink.whenWritable(free));
    },
    onClosed: onEnded,
  });
}
