import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorText } from '../config/error-text.ts';
import { openCalls, type Remembered, replay } from '../conversation/replay.ts';
import { readJournal } from '../store/file-journal.ts';
import { isLocked } from '../store/file-lock.ts';
import type { ConversationView } from './live-state.ts';
import { isEqualData } from './local-store.ts';

/** Conversations in the journals of a folder, at one look. */
export interface SavedConversations {
  readonly conversations: Readonly<Record<string, ConversationView>>;
  /** Sentences that name each journal that could not be read. */
  readonly warnings: readonly string[];
}

const ENDING = '.jsonl';

/** Creates a reader of the journals of a folder. A journal that has not changed gives the same object as before. */
export function createConversationReader(folder: string): { read(): SavedConversations } {
  let known = new Map<string, { readonly mark: string; readonly view: ConversationView }>();

  const readOne = (id: string) => {
    const path = join(folder, `${id}${ENDING}`);
    const { mtimeMs, size } = statSync(path);
    const isOpen = isLocked(path);
    const mark = `${mtimeMs} ${size} ${isOpen}`;
    const before = known.get(id);
    if (before?.mark === mark) return before;
    const view = toView(id, { isOpen, ...replay(readJournal(path)) });
    const transcript = view.transcript.map((message, index) => {
      const old = before?.view.transcript[index];
      return old !== undefined && isEqualData(old, message) ? old : message;
    });
    return { mark, view: { ...view, transcript } };
  };
  return {
    read: () => {
      const found = new Map<string, { readonly mark: string; readonly view: ConversationView }>();
      const warnings: string[] = [];
      for (const id of listIds(folder)) {
        try {
          found.set(id, readOne(id));
        } catch (error) {
          warnings.push(`The conversation ${id} could not be read: ${toErrorText(error)}`);
        }
      }
      known = found;
      const views = [...found].map(([id, { view }]) => [id, view] as const);
      return { conversations: Object.fromEntries(views), warnings };
    },
  };
}

/** Returns the ids of the saved conversations; none where nothing was saved. */
function listIds(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(ENDING));
    return names.map((name) => name.slice(0, -ENDING.length));
  } catch {
    return [];
  }
}

function toView(id: string, memory: Remembered & { readonly isOpen: boolean }): ConversationView {
  const { transcript, mailbox, isUnfinished, isOpen } = memory;
  const running = openCalls(transcript).length > 0 ? 'acting' : 'thinking';
  const status = !isOpen ? 'done' : isUnfinished ? running : 'idle';
  return { id, status, transcript, writing: '', inbox: [...mailbox.waiting.values()] };
}
