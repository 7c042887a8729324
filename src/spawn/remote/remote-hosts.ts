import { randomUUID } from 'node:crypto';
import { type RemoteSettings, toHostName } from '../../config/remote-options.ts';
import { openPresence, type Presence } from './presence.ts';
import { type AttemptName, subjects, toPeerKey } from './protocol.ts';
import { openServers, type Servers } from './servers.ts';

/** An open connection of an asker, with its beats. */
export interface Session {
  readonly servers: Servers;
  readonly presence: Presence;
  /** Name of this asker among the peers. */
  readonly asker: string;
}

/** Connects a supervisor to other hosts while it has processes there. */
export interface RemoteHosts {
  /** Returns the tenant of a process: that of the options, else the first part of its owner, whichever supervisor has it. */
  tenantOf(owner: string): string;
  readonly reportError: (error: unknown) => void;
  /** Reports a message of a lost attempt's worker, if one comes while the connection is open. */
  noteLost(name: AttemptName): void;
  /** Opens the connection if necessary, and keeps it until it is released as often. @throws TroupeError `unreachable` */
  acquire(): Promise<Session>;
  /** `leaving`: what the process still writes here. */
  release(leaving?: Promise<void>): void;
  /** Closes the connection. Resolves when the output of all processes that were left is written. */
  close(): Promise<void>;
}

/** An unused connection is closed after this, since it would keep the program running. */
const IDLE_MS = 500;

/** Creates the connection of a supervisor, which is opened with the first process. */
export function createRemoteHosts(
  settings: RemoteSettings,
  {
    owner,
    supervisorId,
    reportError,
  }: {
    /** Owner of the supervisor. */
    readonly owner: string;
    readonly supervisorId: string;
    readonly reportError: (error: unknown) => void;
  },
): RemoteHosts {
  const tenantOf = (of: string) => settings.tenant ?? toHostName(of.split('/')[0] ?? '');
  /** Subjects of lost attempts. */
  const lost = new Set<string>();
  const leavings = new Set<Promise<void>>();
  let opening: Promise<Session> | null = null;
  let users = 0;
  let idleTimer: NodeJS.Timeout | null = null;

  const open = async (): Promise<Session> => {
    const tenant = tenantOf(owner);
    const asker = `${tenant}.${randomUUID()}`;
    const servers = await openServers(settings, { name: supervisorId, inboxPrefix: `_INBOX_${tenant}` });
    servers.connection.subscribe(`troupe.late.${settings.tenant ?? '*'}.>`, {
      callback: (error, { subject }) => {
        if (error === null && lost.delete(subject)) reportError(new Error(describeLate(subject)));
      },
    });
    const presence = openPresence(servers, {
      key: toPeerKey('asker', asker),
      describe: () => ({}),
      onError: reportError,
    });
    return { servers, presence, asker };
  };
  const close = async () => {
    if (idleTimer !== null) clearTimeout(idleTimer);
    const closing = opening;
    opening = null;
    const session = await closing?.catch(() => null);
    await session?.presence.close();
    await session?.servers.close().catch(reportError);
    await Promise.all(leavings);
  };

  return {
    tenantOf,
    reportError,
    noteLost: (name) => {
      lost.add(subjects.late(name));
    },
    acquire: async () => {
      users += 1;
      if (idleTimer !== null) clearTimeout(idleTimer);
      opening ??= open();
      try {
        return await opening;
      } catch (error) {
        users -= 1;
        // The next start tries again.
        opening = null;
        throw error;
      }
    },
    release: (leaving) => {
      users -= 1;
      if (leaving !== undefined) {
        leavings.add(leaving);
        void leaving.finally(() => leavings.delete(leaving));
      }
      if (users === 0) idleTimer = setTimeout(() => void close(), IDLE_MS);
    },
    close,
  };
}

function describeLate(subject: string): string {
  const id = subject.split('.').at(-2);
  return `The process ${id} was called lost, because its worker was silent. The worker is back and has killed it.`;
}
