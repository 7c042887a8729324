import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Who speaks. One label each, so that a line can be told from another also without colour. */
const voices = {
  you: 'cyan',
  agent: 'green',
  call: 'yellow',
  answer: 'yellow',
  state: 'blue',
  notice: 'magenta',
  check: 'greenBright',
} as const satisfies Record<string, Style>;

export type Voice = keyof typeof voices;

const LABEL_WIDTH = 8;
const MAX_WIDTH = 100;

/** Prints a play: one labelled line after another. */
export interface Stage {
  opening(title: string, explanation: string): void;
  chapter(title: string, explanation: string): void;
  /** Long texts are wrapped; those of several lines keep their lines. */
  say(voice: Voice, text: string): void;
  plain(text: string): void;
}

export function createStage(write: (text: string) => void): Stage {
  const width = Math.min(MAX_WIDTH, process.stdout.columns ?? MAX_WIDTH);
  let last: Voice | null = null;
  const head = (title: string, explanation: string) => {
    last = null;
    const lines = wrap(explanation, width).map((line) => styleText('dim', line));
    write(`\n${styleText('bold', title)}\n${lines.join('\n')}\n`);
  };
  return {
    opening: head,
    chapter: (title, explanation) => {
      head(title, explanation);
      write('\n');
    },
    say: (voice, text) => {
      const style = voices[voice];
      const lines = text.split('\n').flatMap((line) => wrap(line, width - LABEL_WIDTH - 2));
      for (const [index, line] of lines.entries()) {
        const label = (index === 0 && last !== voice) || (index === 0 && voice !== 'notice') ? voice : '';
        const gutter = styleText(style, `${label.padStart(LABEL_WIDTH - 1)} │`);
        write(`${gutter} ${voice === 'notice' ? styleText('dim', line) : line}\n`);
      }
      last = voice;
    },
    plain: (text) => write(`${text}\n`),
  };
}

/** Breaks at blanks; lines after the first keep the indent of the first. */
function wrap(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = indent;
  for (const word of text.trim().split(' ')) {
    if (line.trim() !== '' && shownLength(line) + 1 + shownLength(word) > width) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...lines, line];
}

function shownLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
