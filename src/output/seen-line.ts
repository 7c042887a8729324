import { longestLine } from './lines.ts';
import { anyControl, toPlainText } from './plain-text.ts';

/** A line as a person sees it; a match may begin at `from`. */
export interface SeenLine {
  readonly text: string;
  readonly from: number;
}

/** The one character more says of `^` that it is not there. */
export function cutLine(text: string): string {
  return text.length > longestLine ? text.slice(-longestLine - 1) : text;
}

export function toSeenLine(line: string): SeenLine {
  const text = anyControl.test(line) ? toSeen(line) : line;
  return { text, from: line.length > longestLine ? 1 : 0 };
}

/** As they are seen, without the empty ones. */
export function toLines(text: string): SeenLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const isPlain = !anyControl.test(text);
  return lines.map((line) =>
    isPlain && line.length <= longestLine ? { text: line, from: 0 } : toSeenLine(cutLine(line)),
  );
}

/** As `toPlainText` shows a line, at once for one without controls but the CR of its line break, as on a terminal. */
export function toSeen(line: string): string {
  const isBroken = line.endsWith('\r');
  const bare = isBroken ? line.slice(0, -1) : line;
  if (anyControl.test(bare)) return toPlainText(line);
  return isBroken ? bare.trimEnd() : bare;
}
