import type { ToolHost } from '../tools/tool-host.ts';

const PREFIX = 'troupe:';

/** Notices as messages of a framework that keeps the ids of messages. The ids name the completions, so the messages prove the delivery. */
export interface MessageNotices {
  /** Confirms the notices that are among these messages. */
  confirm(messages: readonly { readonly id?: string | undefined }[]): void;
  /** Confirms, then returns the message of what still waits; `null` if nothing does. */
  next(messages: readonly { readonly id?: string | undefined }[]): MessageNotice | null;
}

/** Message of a notice. */
export interface MessageNotice {
  readonly role: 'user';
  readonly id: string;
  readonly content: string;
}

export function createMessageNotices(host: Pick<ToolHost, 'take' | 'delivered'>): MessageNotices {
  const confirm: MessageNotices['confirm'] = (messages) => {
    const ids = messages.flatMap(({ id }) =>
      id?.startsWith(PREFIX) ? id.slice(PREFIX.length).split(' ') : [],
    );
    if (ids.length > 0) host.delivered(ids);
  };
  return {
    confirm,
    next: (messages) => {
      confirm(messages);
      const notice = host.take();
      return notice && { role: 'user', id: `${PREFIX}${notice.ids.join(' ')}`, content: notice.text };
    },
  };
}

/** Returns the text of a notice with a last line that names the completions, for frameworks whose messages cannot keep an id. */
export function toMarkedText({ id, content }: MessageNotice): string {
  return `${content}\n<!-- ${id} -->`;
}

const marked = /^<process_notice[\s\S]*<!-- (troupe:[^<>]+) -->$/;

/** Returns the id of a message by the text of `toMarkedText`; none for any other text. */
export function readMark(text: string): { readonly id?: string | undefined } {
  return { id: marked.exec(text)?.[1] };
}
