import type { Word } from '../shell/word.ts';

/** Side effects of a sed script. */
export interface SedReading {
  /** Files that it reads or writes. */
  readonly files: readonly Word[];
  /** The command `e`, or the flag of that name. */
  readonly runs: boolean;
  readonly writes: boolean;
}

const ADDRESS = /^(?:\d+(?:~\d+)?|\$|[+~]\d+|[,!;{}\sIM])+/;

/** sed(1), with the extensions of GNU; `null` where it cannot be read. */
export function readSedScript(script: Word): SedReading | null {
  const files: Word[] = [];
  let [runs, writes] = [false, false];
  let rest = script;
  const takeLine = (): string => {
    const [line = ''] = rest.split('\n', 1);
    rest = rest.slice(line.length + 1);
    return line;
  };
  const takeFile = (letter: string): void => {
    files.push(takeLine().trim());
    writes ||= letter.toLowerCase() === 'w';
  };

  while (rest !== '') {
    const address = ADDRESS.exec(rest)?.[0].length ?? toPattern(rest)?.length ?? 0;
    if (address > 0) {
      rest = rest.slice(address);
      continue;
    }
    const letter = rest[0] ?? '';
    rest = rest.slice(1);
    if (letter === 'e') {
      runs = true;
      takeLine();
    } else if (/[rRwW]/.test(letter)) takeFile(letter);
    else if (/[aic]/.test(letter)) {
      while (takeLine().endsWith('\\') && rest !== '');
    } else if (/[#:]/.test(letter)) takeLine();
    else if (/[sy]/.test(letter)) {
      const length = toDelimited(rest, 2);
      if (length === null) return null;
      rest = rest.slice(length);
      const flags = /^[gpiImMe\d \t]*/.exec(letter === 's' ? rest : '')?.[0] ?? '';
      rest = rest.slice(flags.length);
      runs ||= flags.includes('e');
      if (letter === 's' && rest.startsWith('w')) {
        rest = rest.slice(1);
        takeFile('w');
      }
    } else if (/[btTqQlLv]/.test(letter)) rest = rest.replace(/^[ \t]*[\w.-]*/, '');
    else if (!/[=dDgGhHnNpPxzF]/.test(letter)) return null;
  }
  return { files, runs, writes };
}

/** `/…/` or `\c…c` at the front. */
function toPattern(text: string): { readonly length: number } | null {
  const start = text.startsWith('\\') ? 1 : 0;
  if (start === 0 && !text.startsWith('/')) return null;
  const length = toDelimited(text.slice(start), 1);
  return length === null ? null : { length: start + length };
}

/**
 * Returns the length of so many parts between delimiters like the first one; sed takes a delimiter in brackets
 * literally.
 */
function toDelimited(text: string, parts: number): number | null {
  const [sign] = text;
  if (sign === undefined || sign === '\n' || sign === '\\') return null;
  let ends = 0;
  for (let index = 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === sign) ends++;
    if (ends === parts) return index + 1;
  }
  return null;
}
