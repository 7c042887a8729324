import type { ConversationEvent } from '../../conversation/conversation-event.ts';
import type { CliIo } from '../cli-io.ts';
import { createPage } from '../render/page.ts';
import { renderToolAnswer, renderToolCall } from '../render/tool-lines.ts';

/** Shows on stderr what an agent does while somebody watches: its calls, and what was answered. */
export function createProgress(io: CliIo): (event: ConversationEvent) => void {
  const page = createPage(io.stderr);
  const print = (lines: readonly string[]) => io.stderr.write(lines.map((line) => `${line}\n`).join(''));
  if (!io.stderr.isTTY) return () => {};
  return (event) => {
    if (event.type === 'tool.called') print(renderToolCall(event.call, page));
    if (event.type === 'tool.answered') print(renderToolAnswer(event, page));
  };
}
