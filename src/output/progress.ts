import type { OutputLog } from './output-log.ts';
import { toPlainText } from './plain-text.ts';

/** The progress that a process reports. */
export interface ProgressView {
  /** 0 to 100; `null` if only activity is known. */
  readonly percent: number | null;
  readonly state: 'running' | 'paused' | 'failed';
  /** The text it was read from, such as `12/40`; `null` if a control sequence reported it. */
  readonly text: string | null;
}

/** Enough for a few lines of a screen; no more is read. */
const tailBytes = 4 * 1024;

/** Reads the progress at the end of the output after an offset. One small read. */
export function readLogProgress(log: OutputLog, fromOffset: number): ProgressView | null {
  const pieces = [...log.chunks(Math.max(fromOffset, log.bytes - tailBytes))];
  const bytes = pieces.flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : []));
  return bytes.length === 0 ? null : readProgress(Buffer.concat(bytes).toString());
}

/**
 * Reads the progress that a program reports: by the control sequence OSC 9;4, which terminals show in their
 * frame, else by a percentage or a count on the last rendered line whose context identifies it as progress.
 */
export function readProgress(tail: string): ProgressView | null {
  return readSequence(tail) ?? readLastLine(tail);
}

/** `OSC 9;4;state;percent`, ended by BEL or ST: https://conemu.github.io/en/AnsiEscapeCodes.html */
const sequence = /\x1b\]9;4;(\d)(?:;(\d{1,3}))?;?(?:\x07|\x1b\\|\x9c)/g;
const sequenceStates = { 1: 'running', 2: 'failed', 3: 'running', 4: 'paused' } as const;

function readSequence(tail: string): ProgressView | null {
  const [, number = '0', amount] = [...tail.matchAll(sequence)].at(-1) ?? [];
  if (!(number in sequenceStates)) return null;
  const state = sequenceStates[Number(number) as keyof typeof sequenceStates];
  const percent = amount === undefined || number === '3' || Number(amount) > 100 ? null : Number(amount);
  return { percent, state, text: null };
}

function readLastLine(tail: string): ProgressView | null {
  const text = tail.trimEnd();
  const raw = text.slice(text.lastIndexOf('\n') + 1);
  // Most output has neither a digit nor one of these signs on its last line, and rendering costs ten times
  // this test.
  if (!/\d/.test(raw) || !/[%/]|\bof\b|:\d\d:/.test(raw)) return null;
  const line = toPlainText(text).split('\n').at(-1) ?? '';
  const isRedrawn = /\r(?!$)|\x08|\x1b\[\d*[AGK]/.test(raw);
  return readCurl(line) ?? findProgress(line, isRedrawn);
}

/** Matches curl's table, which has percentages without the sign and times at the end. */
const curlLine =
  /^\s*(\d{1,3})\s+[\d.]+[kMGTP]?\s+\d{1,3}\s+[\d.]+[kMGTP]?\s+\d{1,3}\s+[\d.]+[kMGTP]?(?:\s+[\d.]+[kMGTP]?){2}\s+[\d:-]+\s/;

function readCurl(line: string): ProgressView | null {
  const [, percent = ''] = curlLine.exec(line) ?? [];
  return percent === '' || Number(percent) > 100 ? null : toView(Number(percent), percent);
}

/** A number that may be progress, and its place. */
interface Candidate {
  readonly percent: number;
  readonly text: string;
  /** The part of the line around it whose words may describe it. */
  readonly before: string;
  readonly after: string;
  readonly isFirst: boolean;
}

const wordsAroundChars = 48;

function findProgress(line: string, isRedrawn: boolean): ProgressView | null {
  const isBar = isRedrawn || bar.test(line);
  const found = findCandidates(line).find(
    (each) => !isMeasurement(each) && (isBar || hasProgressContext(each)),
  );
  return found === undefined ? null : toView(found.percent, found.text);
}

const percentage = /(?<![\w.,:/$+-])(\d{1,3}(?:[.,]\d{1,3})?)\s?%(?![\w%])/g;
/** Matches amounts with units, such as `12.3/45.6 MB`, but no speeds. */
const sizes =
  /(?<![\w./:-])(\d+(?:\.\d+)?)\s?([kKMGT]?)(?:i?B)?\s?\/\s?(\d+(?:\.\d+)?)\s?([kKMGT]?)i?B(?![\w/])/g;
/** Matches counts that are no part of a date, path, address or version. */
const count = /(?<![\w./:,$-])(\d{1,9})\s?(?:\/|\bof\b)\s?(\d{1,9})(?![\w/-]|[.,:]\d)/g;

function findCandidates(line: string): readonly Candidate[] {
  return [
    ...matchAll(line, percentage, ([, amount = '']) => Number(amount.replace(',', '.'))),
    ...matchAll(line, sizes, ([, part, unit = '', whole, wholeUnit = '']) =>
      share(Number(part) * unitOf(unit || wholeUnit), Number(whole) * unitOf(wholeUnit)),
    ),
    ...matchAll(line, count, ([, part, whole]) =>
      Number(whole) < 2 ? Number.NaN : share(Number(part), Number(whole)),
    ),
  ].filter(({ percent }) => percent >= 0 && percent <= 100);
}

function matchAll(
  line: string,
  expression: RegExp,
  toPercent: (match: RegExpExecArray) => number,
): readonly Candidate[] {
  return [...line.matchAll(expression)].map((match) => {
    const from = Math.max(0, match.index - wordsAroundChars);
    const to = match.index + match[0].length;
    const before = line.slice(from, match.index);
    return {
      percent: toPercent(match),
      text: match[0].trim(),
      before,
      after: line.slice(to, to + wordsAroundChars),
      isFirst: from === 0 && /^\s*\(?$/.test(before),
    };
  });
}

function unitOf(letter: string): number {
  return 1024 ** ' KMGT'.indexOf(letter === '' ? ' ' : letter.toUpperCase());
}

/** Never returns 100 before everything is there. */
function share(part: number, whole: number): number {
  return Math.floor((part / whole) * 1_000) / 10;
}

const bar =
  /\[[=#*.>\-\s█░▒▓]{5,}\]|\[[=#*]+>?[\s.-]*\]|[█▉▊▋▌▍▎▏░▒▓━╸╺■□▰▱]{3}|#{4}|={3,}[>-]|(?:\.{10} ){2}/;

/** Words next to a percentage or count that identify it as something other than progress. */
const measures =
  /\b(?:cpu|mem(?:ory)?|disk|swap|load|usage|used?|full|free|idle|battery|cover(?:age|ed)|stmts|statements|branch(?:es)?|discount|off|confidence|humidity|average|avg|loss|accuracy|precision|error rate|hit rate|utili[sz]ation|faster|slower|smaller|larger|bigger|less|fewer|more|reduced|saved|increased?|decreased?|score|rated|rating|ratio|stars|chance|probability|quality|volume|opacity|zoom|scale|alive|up|healthy|replicas|ready)\b/i;

function isMeasurement({ before, after }: Candidate): boolean {
  return (
    measures.test(before.slice(-24)) ||
    measures.test(/^[\s)\]]*[a-z][\w-]*(?:\s+[a-z][\w-]*)?/i.exec(after)?.[0] ?? '')
  );
}

const work =
  /\b(?:progress|complet(?:e|ed|ing)|done|receiving|resolving|counting|compressing|writing|reading|unpack\w*|download\w*|upload\w*|install\w*|fetch\w*|copy\w*|copied|build\w*|compil\w*|link\w*|pull\w*|push\w*|extract\w*|verif\w*|transfer\w*|process(?:ed|ing)|sync\w*|import\w*|export\w*|migrat\w*|index\w*|render\w*|encod\w*|convert\w*|train\w*|scan\w*|check\w*|updat\w*|format\w*|load(?:ed|ing)|wait\w*|epoch|step|stage|test(?:s|ing)?|batch|chunk|page|layer|part|item|modules?|packages?|files?|rows|records|crates)\b/i;

/** Returns true if the context of the number identifies it as progress. */
function hasProgressContext({ before, after, text, isFirst }: Candidate): boolean {
  if (/\[\s*$/.test(before) && /^\s*\]/.test(after)) return true;
  if (isFirst && /^\s*(?:$|[)|:[\]])/.test(after)) return true;
  const isPercentage = text.endsWith('%');
  // A word after a percentage may name what it is a part of.
  return work.test(before) || (!isPercentage && work.test(after.slice(0, 24)));
}

function toView(percent: number, text: string): ProgressView {
  return { percent, state: 'running', text };
}
