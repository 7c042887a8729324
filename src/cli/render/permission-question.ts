import { quote } from '../../config/quote.ts';
import type { PermissionQuestion } from '../../policy/authorize.ts';
import { MARGIN_WIDTH, toMarked } from './margin.ts';
import type { Page } from './page.ts';
import { toPrintable, toVisible } from './printable.ts';
import { describeArguments } from './tool-lines.ts';
import { wrap } from './wrap.ts';

/**
 * Renders a question for permission with the complete command and all other arguments, followed by the agent, the reason, and the
 * scope of "always".
 */
export function renderPermissionQuestion(asked: PermissionQuestion, page: Page): string[] {
  const { question, start, arguments: given, agent, callId, reason, always } = asked;
  const { command = '', cwd } = start ?? {};
  const text = typeof command === 'string' ? command : command.map((part) => JSON.stringify(part)).join(' ');
  const indent = ' '.repeat(2 * MARGIN_WIDTH);
  const toRows = (said: string, style: 'yellow' | 'dim') =>
    said === ''
      ? []
      : toPrintable(said)
          .split('\n')
          .flatMap((line) => wrap(line, page.width - indent.length))
          .map((line) => indent + page.paint(style, line));
  const others = Object.entries(given).filter(
    ([, value]) => start === undefined || (value !== text && value !== cwd),
  );
  const call = callId === null ? '' : `, call ${callId}`;
  return [
    ...toMarked(
      {
        voice: 'question',
        // The complete command follows below.
        text: toPrintable(text === '' ? question : question.replace(quote(text), 'this command')),
        style: 'bold',
      },
      page,
    ),
    ...toRows(text, 'yellow'),
    ...toRows(cwd === undefined ? '' : `in ${cwd}`, 'dim'),
    ...toRows(toVisible(describeArguments(JSON.stringify(Object.fromEntries(others)))), 'yellow'),
    ...toRows(question.includes(reason) ? '' : reason, 'dim'),
    ...toRows(`by agent ${agent}${call}`, 'dim'),
    ...toRows(always === null ? '' : `"always" would allow: ${always.join(' · ')}`, 'dim'),
  ];
}
