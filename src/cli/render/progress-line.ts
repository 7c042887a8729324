import type { Cancel, Clock } from '../../clock/clock.ts';
import { formatDuration } from '../../config/format-duration.ts';
import type { CliIo } from '../cli-io.ts';
import { createPage } from './page.ts';
import { clip } from './wrap.ts';

export interface ProgressLine {
  /** Hides the line while `print` runs. */
  above(print: () => void): void;
  /** Removes the line. */
  end(): void;
}

export interface ProgressOptions {
  /** Describes the pending work at this moment. */
  readonly text: () => string;
  readonly io: Pick<CliIo, 'stderr'>;
  readonly clock: Clock;
}

const EVERY_MS = 1_000;
const ERASE = '\r\x1b[K';

/** Shows the pending work and the elapsed time on stderr if it is a terminal. */
export function showProgress({ text, io: { stderr }, clock }: ProgressOptions): ProgressLine {
  if (!stderr.isTTY) return { above: (print) => print(), end: () => {} };
  const page = createPage(stderr);
  const startAtMs = clock.nowMs();
  let cancel: Cancel = () => {};
  const show = () => {
    cancel();
    const elapsedMs = Math.floor((clock.nowMs() - startAtMs) / EVERY_MS) * EVERY_MS;
    const elapsed = elapsedMs === 0 ? '' : ` · ${formatDuration(elapsedMs)}`;
    // A row that fills the last column would wrap.
    const row = clip(text(), page.width - elapsed.length - 1) + elapsed;
    stderr.write(ERASE + page.paint('dim', row));
    cancel = clock.at(clock.nowMs() + EVERY_MS, show, { idle: true });
  };
  show();
  return {
    above: (print) => {
      stderr.write(ERASE);
      print();
      show();
    },
    end: () => {
      cancel();
      stderr.write(ERASE);
    },
  };
}
