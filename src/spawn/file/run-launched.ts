import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Cancel } from '../../clock/clock.ts';
import { redactText } from '../../output/redact-text.ts';
import { appendPrivateFile } from '../../store/private-files.ts';
import type { BackendPort } from '../backend.ts';
import { createInputWriter } from '../pipe/input-writer.ts';
import type { FileWorld } from './file-world.ts';
import { followStatus } from './follow-status.ts';
import { createLeaderControl, sidOf } from './leader-control.ts';
import { somebodyCarries } from './somebody-carries.ts';
import {
  type KnownLaunch,
  type NamedProcess,
  readStatusOf,
  toBeganLine,
  unreadableEnd,
} from './status-file.ts';

/** The leader's line comes about a millisecond after the launcher was started. */
const firstLookMs = 1;
const lookGrowth = 1.5;
const longestLookMs = 50;
/** The launcher was killed, and nothing tells of the leader's end but its absence. */
const orphanLookMs = 200;

/** Follows what a launcher of ours starts: its exit is the sign to read what it wrote down. */
export function runLaunched(
  child: ChildProcess,
  {
    port,
    world,
    statusPath,
    stdin,
  }: { port: BackendPort; world: FileWorld; statusPath: string; stdin: Writable | null },
): Cancel {
  const { request, clock } = port;
  const { table } = world;
  const control = createLeaderControl({ port, world }, { input: inputOf(stdin, port) });
  let launcherEnd: string | null = null;
  let lookMs = firstLookMs / lookGrowth;

  // In the turn in which it was started its number cannot be another's.
  const launcher = child.pid === undefined ? null : table.read(child.pid).catch(() => null);

  /** For who adopts it; without this line it must carry the cookie to be known again. */
  function noteBegin(leader: NamedProcess): void {
    try {
      appendPrivateFile(statusPath, toBeganLine(request.attempt, leader));
    } catch (error) {
      world.reportError(error);
    }
  }

  /** Whom the launcher has started, where its file was removed before it was read. */
  let found: KnownLaunch | null = null;
  const read = (known: KnownLaunch | null) =>
    readStatusOf(statusPath, { attempt: request.attempt, known: known ?? found });

  async function findStarted(): Promise<KnownLaunch | null> {
    const elder = await launcher;
    if (elder === null || existsSync(statusPath)) return null;
    const started = (await table.since(elder)).find(({ ppid, alive }) => alive && ppid === elder.pid);
    return started === undefined
      ? null
      : { launcher: elder.pid, leader: { pid: started.pid, startedAt: started.startedAt } };
  }

  const watch = followStatus({
    read,
    // Who was forked by a launcher that was killed then may become the leader yet.
    mayStillWrite: async () => {
      if (launcherEnd === null) {
        if (!control.isKnown) found ??= await findStarted();
        return true;
      }
      return !control.isKnown && read(null).leader === null && somebodyCarries(table, request.id);
    },
    pauseMs: ({ leader }) => {
      if (launcherEnd !== null) return leader === null ? firstLookMs : orphanLookMs;
      if (control.isKnown) return null;
      lookMs = Math.min(lookMs * lookGrowth, longestLookMs);
      return lookMs;
    },
    table,
    id: request.id,
    clock,
    reportError: world.reportError,
    listener: {
      onBegun: async ({ pid, entry, status }) => {
        // One that has ended already is no younger than its launcher.
        const leader = { pid, startedAt: (entry ?? (await launcher))?.startedAt ?? '0', ...sidOf(entry) };
        await control.known({ leader, launcher: status.launcher });
        if (entry !== null && status.exit === null) noteBegin(leader);
        port.tell({ type: 'process.spawned', pid, pgid: pid });
      },
      onExit: ({ code, signal }) => {
        port.tell({ type: 'process.exited', exit: { code, signal } });
        control.exited('justNow');
      },
      onUnseenEnd: ({ isCut }) => {
        const why = isCut
          ? unreadableEnd(statusPath)
          : `nobody saw how it ended: the launcher that was to write that down had ended before it (${launcherEnd})`;
        port.tell({ type: 'process.lost', why });
        control.exited('longAgo');
      },
      onNothing: ({ words }) => {
        control.neverKnown();
        const said = redactText(words, request.secrets);
        const message = `It could not be started: the launcher ended (${launcherEnd}) before it had started it.${said === '' ? '' : ` It said: ${said}.`} Check that ${statusPath} can be written and the disk is not full, then start it again.`;
        port.tell({ type: 'process.spawnFailed', cause: 'other', code: null, message });
      },
    },
  });

  child.once('exit', (code, signal) => {
    launcherEnd = signal ?? `code ${code}`;
    watch.look();
  });
  // A failed kill is told here; the exit that follows is what counts.
  child.on('error', world.reportError);
  port.onCommand(control.obey);
  watch.look();

  return () => {
    watch.cancel();
    control.release();
    // It goes on without us.
    child.unref();
    if (stdin instanceof Socket) stdin.unref();
  };
}

function inputOf(stdin: Writable | null, { clock }: BackendPort) {
  if (stdin !== null) return createInputWriter(stdin, clock);
  const refusal = 'Its input was not asked for: start it with stdin: "pipe".';
  return { code: 'noInput', refusal } as const;
}
