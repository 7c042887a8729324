import { createMailbox, type Mailbox, type MailboxReader, type Notice } from '../mailbox/mailbox.ts';

/**
 * The notices of a client for people. The protocol has no way to wake a model, so a notice for the model goes with the answer of the next
 * call; the same entries are logged. The log is a mailbox of its own, since it delivers nothing to the model.
 */
export interface NoticeLog {
  /** The reader to open the client's mailbox with. */
  readonly reader: MailboxReader;
  /** Removes what the answer of a call has shown. */
  delivered(ids: readonly string[]): void;
  /** Says that a call is over, so that what it kept back may be logged. */
  callEnded(): void;
  /** Returns the notices that were not logged yet, once. Leaves out those that a running call may answer. */
  take(): LogNotice | null;
}

export interface LogNotice extends Notice {
  /** A process has failed, was killed or lost, or timed out. */
  readonly isBad: boolean;
}

/** Creates the log of one client. */
export function createNoticeLog({
  isInUse,
  onChange,
}: {
  /** Returns whether a running call is about to answer for this process. */
  readonly isInUse: (processId: string) => boolean;
  /** Called when there may be something to log. */
  readonly onChange: () => void;
}): NoticeLog {
  const log = createMailbox('log');
  return {
    reader: {
      onChange: (change) => {
        if (change.type === 'withdrawn') return log.retract(change.ids);
        if (change.type === 'settled') return;
        log.add(change.entry);
        onChange();
      },
    },
    delivered: (ids) => log.delivered(ids),
    callEnded: () => {
      if (log.waiting.size > 0) onChange();
    },
    take: () => {
      const notice = log.take({ except: isInUse });
      if (notice === null) return null;
      const isBad = notice.ids.some((id) => isBadEnd(log, id));
      log.delivered(notice.ids);
      return { ...notice, isBad };
    },
  };
}

function isBadEnd({ waiting }: Pick<Mailbox, 'waiting'>, id: string): boolean {
  const entry = waiting.get(id);
  return entry?.kind === 'notice' && entry.part.type === 'ended' && entry.part.status !== 'completed';
}
