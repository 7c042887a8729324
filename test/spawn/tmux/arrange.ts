import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { BackendCommand, WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, ScreenCapture } from '../../../machines/process/terminal.ts';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import type {
  Backend,
  BackendPort,
  SpawnFiles,
  SpawnRequest,
  ToldFact,
  Work,
} from '../../../src/spawn/backend.ts';
import type { Cgroups } from '../../../src/spawn/cgroup/cgroups.ts';
import { createTmuxBackend } from '../../../src/spawn/tmux/tmux-backend.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { endAll, isAlive, tempDir, waitUntil } from '../../support/os.ts';
import { createFileLog } from '../../support/output-logs.ts';

export const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

export type TmuxRequest = SpawnRequest & { readonly files: SpawnFiles };

/** Queries the server behind a socket without our own code in between. */
export function tmux(socket: string, ...args: readonly string[]): string {
  return execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', timeout: 10_000, stdio: 'pipe' });
}

/** Returns the names of its sessions; none where no server runs. */
export function sessionsOf(socket: string): readonly string[] {
  const { stdout } = spawnSync('tmux', ['-S', socket, 'list-sessions', '-F', '#S'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  return (stdout ?? '').split('\n').filter((name) => name !== '');
}

/** Waits until no server listens there: it ends with its last session. */
export async function untilServerIsGone(socket: string): Promise<void> {
  const { stdout } = spawnSync('tmux', ['-S', socket, 'display-message', '-p', '#{pid}'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  const pid = Number(stdout ?? '');
  const isGone = () => {
    if (!isAlive(pid)) return true;
    // tmux 3.3 sometimes misses the death of a child until the next one dies.
    spawnSync('tmux', ['-S', socket, 'run-shell', '-b', 'exit'], { timeout: 10_000 });
    return false;
  };
  if (pid > 1) await waitUntil(isGone, { what: `the tmux server of ${socket} is gone` });
}

export function createBackendAt(socket: string, cgroups?: Cgroups): Backend {
  const backend = createTmuxBackend({
    table: createCurrentTable(),
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: (error) => {
      throw error;
    },
    tmuxSocket: () => socket,
    ...(cgroups !== undefined && { cgroups }),
  });
  if ('why' in backend) throw new Error(backend.why);
  return backend;
}

/** Creates a place for the terminals of one test; at its end all of them and their server are gone. */
export function createStage({
  folder = '',
  maxBytes = 2 ** 26,
}: {
  folder?: string;
  maxBytes?: number;
} = {}) {
  const directory = tempDir();
  const place = directory.file(folder);
  const socket = directory.file('t.sock');
  const clock = createRealClock();
  const cookies: string[] = [];
  let count = 0;
  onTestFinished(async () => {
    for (const cookie of cookies) await endAll([], cookie);
    await untilServerIsGone(socket);
    directory.remove();
  });

  const createRequest = (work: Work, more: Partial<SpawnRequest> = {}): TmuxRequest => {
    count += 1;
    const id = more.id ?? `tool_tmux${count}_${Math.random().toString(36).slice(2, 8)}`;
    cookies.push(`/${id}/`);
    return {
      id,
      attempt: 1,
      work,
      cwd: directory.path,
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', TROUPE_LINEAGE: `/sup_tmux/${id}/` },
      stdin: 'pipe',
      outlives: true,
      terminal: { columns: 80, rows: 24 },
      limits: null,
      secrets: [],
      ...more,
      files: more.files ?? {
        log: `${place}/${id}.log`,
        status: `${place}/${id}.status`,
        screen: `${place}/${id}.screen`,
      },
    };
  };

  const follow = (
    request: TmuxRequest,
    { verb, ...more }: { verb: 'run' | 'adopt' } & Pick<BackendPort, 'leader' | 'startedAtMs'>,
  ) => {
    const facts: ToldFact[] = [];
    const kept: ScreenCapture[] = [];
    const { log, status } = request.files;
    const output = createFileLog({
      clock,
      path: log,
      statusPath: status,
      maxBytes,
      isOver: false,
      stream: 'screen',
    });
    let listener: (command: BackendCommand) => void = () => {};
    const cancel = createBackendAt(socket)[verb]?.({
      ...more,
      request,
      output,
      clock,
      keepScreen: (screen) => void kept.push(screen),
      tell: (fact) => void facts.push(fact),
      onCommand: (given) => {
        listener = given;
      },
    });
    onTestFinished(() => {
      cancel?.();
      void output.close();
    });
    const ask = <Answer = WriteResult>(toCommand: (reply: (answer: Answer) => void) => BackendCommand) =>
      new Promise<Answer>((resolve) => listener(toCommand(resolve)));
    const capture = () =>
      ask<CaptureAnswer>((reply) => ({
        type: 'terminal.capture',
        scrollbackLines: 0,
        withDrawing: false,
        reply,
      }));
    const screenText = async () => {
      const answer = await capture();
      return answer.ok ? answer.screen.lines.join('\n') : '';
    };
    return {
      request,
      facts,
      kept,
      ask,
      capture,
      get types() {
        return facts.map(({ type }) => type);
      },
      fact: <T extends ToldFact['type']>(type: T) =>
        waitUntil(() => facts.find((fact): fact is Extract<ToldFact, { type: T }> => fact.type === type), {
          withinMs: 30_000,
          what: () => `${type} is reported; reported were ${JSON.stringify(facts)}`,
        }) as Promise<Extract<ToldFact, { type: T }>>,
      shows: (text: string) =>
        waitUntil(async () => (await screenText()).includes(text), {
          withinMs: 30_000,
          what: `the screen shows ${text}`,
        }),
      send: (command: BackendCommand) => listener(command),
      cancel: () => cancel?.(),
      status: () => readFileSync(status, 'utf8'),
      printed: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    };
  };

  return {
    directory: directory.path,
    file: directory.file,
    socket,
    createRequest,
    run: (work: Work, more?: Partial<SpawnRequest>) => follow(createRequest(work, more), { verb: 'run' }),
    again: (request: TmuxRequest) => follow(request, { verb: 'run' }),
    adopt: (request: TmuxRequest, more: Pick<BackendPort, 'leader' | 'startedAtMs'> = {}) =>
      follow(request, { verb: 'adopt', ...more }),
  };
}
