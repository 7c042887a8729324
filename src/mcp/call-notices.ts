import { createMailbox, type Mailbox, type MailboxReader, type Notice } from '../mailbox/mailbox.ts';

/**
 * The mailbox of a client, as its calls read it. The protocol has no way to wake a model, so a notice goes with the answer of the next
 * call. The same entries are logged for people; that is a mailbox of its own, since a log delivers nothing to the model.
 */
export interface CallNotices {
  /** The reader to open the mailbox with. */
  readonly reader: MailboxReader;
  /** Takes the opened mailbox. */
  use(mailbox: Mailbox): void;
  /** Opens a call of a tool; `answered` or `dropped` closes it. */
  openCall(): NoticeCall;
  /** Returns the notices that were not logged yet, once. Leaves out those that a running call may answer. */
  takeForLog(): LogNotice | null;
}

export interface LogNotice extends Notice {
  /** A process has failed, was killed or lost, or timed out. */
  readonly isBad: boolean;
}

export interface NoticeCall {
  /** Reserves a process for this call: until the answer, no other call delivers its notices. */
  look(processId: string): void;
  /** Closes the call with an answer that shows these completions. Returns the notice for that answer, or `null`. */
  answered(reveals: readonly string[]): string | null;
  /** Closes the call without an answer. */
  dropped(): void;
}

/** Creates the notices of one client. `onChange` is called when there may be something to log. */
export function createCallNotices(onChange: () => void): CallNotices {
  const log = createMailbox('log');
  const calls = new Set<ReadonlySet<string>>();
  let mailbox: Mailbox | null = null;

  const isLookedAt = (processId: string, own?: ReadonlySet<string>) =>
    [...calls].some((call) => call !== own && call.has(processId));

  return {
    reader: {
      onChange: (change) => {
        if (change.type === 'withdrawn') return log.retract(change.ids);
        if (change.type === 'settled') return;
        log.add(change.entry);
        onChange();
      },
    },
    use: (opened) => {
      mailbox = opened;
    },
    openCall: () => {
      const looked = new Set<string>();
      calls.add(looked);
      const close = () => {
        calls.delete(looked);
        if (log.waiting.size > 0) onChange();
      };
      return {
        look: (processId) => void looked.add(processId),
        answered: (reveals) => {
          mailbox?.delivered(reveals);
          log.delivered(reveals);
          const notice = mailbox?.take({ except: (id) => isLookedAt(id, looked) }) ?? null;
          if (notice !== null) mailbox?.delivered(notice.ids);
          close();
          return notice?.text ?? null;
        },
        dropped: close,
      };
    },
    takeForLog: () => {
      const notice = log.take({ except: isLookedAt });
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
