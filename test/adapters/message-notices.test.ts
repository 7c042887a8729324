import { expect, test } from 'vitest';
import { createMessageNotices, readMark, toMarkedText } from '../../src/adapters/message-notices.ts';
import type { Notice } from '../../src/mailbox/mailbox.ts';

const notice = { text: '<process_notice>ended</process_notice>', ids: ['a/1/ended', 'b/1/ended'] };

function arrange(waiting: object | null) {
  const confirmed: (readonly string[])[] = [];
  const notices = createMessageNotices({
    take: () => waiting as Notice | null,
    delivered: (ids) => void confirmed.push(ids),
  });
  return { confirmed, notices };
}

test('a notice becomes a message whose id names its completions', () => {
  const { notices, confirmed } = arrange(notice);

  expect(notices.next([])).toEqual({
    role: 'user',
    id: 'troupe:a/1/ended b/1/ended',
    content: notice.text,
  });
  expect(confirmed).toEqual([]);
});

test('the completions of all messages are confirmed before the next notice', () => {
  const { notices, confirmed } = arrange(null);
  const messages = [{}, { id: 'msg_1' }, { id: 'troupe:a/1/ended b/1/ended' }, { id: 'troupe:c' }];

  expect(notices.next(messages)).toBeNull();
  expect(confirmed).toEqual([['a/1/ended', 'b/1/ended', 'c']]);
});

const marked = toMarkedText({ role: 'user', id: 'troupe:a b', content: notice.text });

test('the last line of a marked text names the completions', () => {
  expect(marked).toBe('<process_notice>ended</process_notice>\n<!-- troupe:a b -->');
});

test.for([
  ['a marked notice', marked, 'troupe:a b'],
  ['a notice without a mark', notice.text, undefined],
  ['text before the notice', `x ${marked}`, undefined],
  ['text after the mark', `${marked} x`, undefined],
  ['a mark alone', '<!-- troupe:a b -->', undefined],
  ['a mark of others', '<process_notice>\n<!-- other:a -->', undefined],
  ['a mark that ends early', '<process_notice>\n<!-- troupe:a> -->', undefined],
  ['an empty mark', '<process_notice>\n<!-- troupe: -->', undefined],
] as const)('%s is read as such', ([, text, id]) => {
  expect(readMark(text)).toEqual({ id });
});
