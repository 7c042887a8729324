import type { TreeMember } from '../../../machines/process/context.ts';
import type { Page } from './page.ts';
import { toVisible } from './printable.ts';
import { textWidth } from './text-width.ts';
import { clip } from './wrap.ts';

/** Scripts are command lines, too; in a file nothing else bounds them. */
const MAX_WIDTH = 120;

/** A process that belongs to another one, behind `head`, on one line that is not wider than the page. */
export function toMemberLine(
  { pid, command }: TreeMember,
  { head, page }: { readonly head: string; readonly page: Pick<Page, 'width'> },
): string {
  const width = Math.min(page.width, MAX_WIDTH) - textWidth(head);
  return head + clip(`${pid} ${toVisible(command.trim().replaceAll(/[ \t]*\n\s*/g, '\n'))}`, width);
}
