import { quote } from '../../config/quote.ts';
import type { PermissionQuestion } from '../../policy/gate.ts';
import { MARGIN_WIDTH, toMarked } from './margin.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import { wrap } from './wrap.ts';

/** What a person is asked, with all of the command: nobody decides about what cannot be seen. */
export function renderPermissionQuestion({ question, start }: PermissionQuestion, page: Page): string[] {
  const ask = (text: string) => toMarked({ voice: 'question', text: toPrintable(text), style: 'bold' }, page);
  if (start === undefined) return ask(question);
  const { command, cwd } = start;
  const text = typeof command === 'string' ? command : command.map((part) => JSON.stringify(part)).join(' ');
  const indent = ' '.repeat(2 * MARGIN_WIDTH);
  const lines = toPrintable(text)
    .split('\n')
    .flatMap((line) => wrap(line, page.width - indent.length));
  return [
    // The whole of it stands below.
    ...ask(question.replace(quote(text), 'this command')),
    ...lines.map((line) => indent + page.paint('yellow', line)),
    ...(cwd === undefined ? [] : [`${indent}${page.paint('dim', `in ${toPrintable(cwd)}`)}`]),
  ];
}
