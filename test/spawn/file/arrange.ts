import { existsSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { BackendCommand, WriteResult } from '../../../machines/process/events.ts';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import type { BackendPort, SpawnRequest, ToldFact, Work } from '../../../src/spawn/backend.ts';
import { createFileBackend } from '../../../src/spawn/file/file-backend.ts';
import type { LauncherTools } from '../../../src/spawn/file/launcher.ts';
import { readStatus } from '../../../src/spawn/file/status-file.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { endAll, tempDir, waitUntil } from '../../support/os.ts';
import { createFileLog } from '../../support/output-logs.ts';

export const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

/** Launchers that this machine may have; Linux has all they need. */
export const launchers: readonly (LauncherTools & { readonly name: string })[] = [
  { name: 'dash', shell: '/bin/dash', setsid: '/usr/bin/setsid' },
  { name: 'bash', shell: '/bin/bash', setsid: '/usr/bin/setsid' },
  { name: 'bash in monitor mode', shell: '/bin/bash', setsid: null },
];

/** One attempt as its process sees it. */
export interface Attempt {
  readonly request: FileRequest;
  readonly facts: readonly ToldFact[];
  readonly types: readonly string[];
  fact<T extends ToldFact['type']>(type: T): Promise<Extract<ToldFact, { type: T }>>;
  send(command: BackendCommand): void;
  ask(toCommand: (reply: (result: WriteResult) => void) => BackendCommand): Promise<WriteResult>;
  cancel(): void;
  status(): ReturnType<typeof readStatus>;
  printed(): string;
}

export type FileRequest = SpawnRequest & { readonly files: NonNullable<SpawnRequest['files']> };

/** Facts of a record for an adoption. */
type Recorded = Pick<BackendPort, 'startedAtMs' | 'leader'>;

/** Creates a place for the processes of one test; at its end all of them are gone. */
export function createStage(tools?: LauncherTools) {
  const directory = tempDir();
  const clock = createRealClock();
  const cookies: string[] = [];
  const spared: string[] = [];
  const guarded: string[] = [];
  let count = 0;
  onTestFinished(async () => {
    for (const cookie of cookies) await endAll([], cookie);
    directory.remove();
  });

  const createBackend = () =>
    createFileBackend({
      table: createCurrentTable(),
      trees: createTreeRegistry({
        prepare: () => {},
        add: ({ cookie }) => void guarded.push(cookie),
        remove: () => {},
        exempt: (id) => void spared.push(id),
      }),
      reportError: (error) => {
        throw error;
      },
      ...(tools !== undefined && { tools }),
    });

  const createRequest = (work: Work, more: Partial<SpawnRequest> = {}): FileRequest => {
    count += 1;
    const id = more.id ?? `tool_file${count}_${Math.random().toString(36).slice(2, 8)}`;
    cookies.push(`/${id}/`);
    return {
      id,
      attempt: 1,
      work,
      cwd: directory.path,
      env: { PATH: process.env['PATH'] ?? '', TROUPE_LINEAGE: `/sup_file/${id}/` },
      stdin: 'end',
      outlives: true,
      terminal: null,
      limits: null,
      secrets: [],
      ...more,
      files: more.files ?? {
        log: directory.file(`${id}.log`),
        status: directory.file(`${id}.status`),
        screen: directory.file(`${id}.screen`),
      },
    };
  };

  const follow = (request: FileRequest, { verb, ...more }: { verb: 'run' | 'adopt' } & Recorded): Attempt => {
    const facts: ToldFact[] = [];
    const { log, status } = request.files;
    const output = createFileLog({
      clock,
      path: log,
      statusPath: status,
      maxBytes: 2 ** 20,
      isOver: false,
    });
    let listener: (command: BackendCommand) => void = () => {};
    const backend = createBackend();
    const begin = verb === 'run' ? backend.run : backend.adopt;
    const cancel = begin?.({
      ...more,
      request,
      output,
      clock,
      keepScreen: () => {},
      tell: (fact) => void facts.push(fact),
      onCommand: (given) => {
        listener = given;
      },
    });
    onTestFinished(() => {
      cancel?.();
      void output.close();
    });
    return {
      request,
      facts,
      get types() {
        return facts.map(({ type }) => type);
      },
      fact: <T extends ToldFact['type']>(type: T) =>
        waitUntil(() => facts.find((fact): fact is Extract<ToldFact, { type: T }> => fact.type === type), {
          what: () => `${type} is reported; reported were ${facts.map((fact) => fact.type).join(', ')}`,
        }) as Promise<Extract<ToldFact, { type: T }>>,
      send: (command) => listener(command),
      ask: (toCommand) => new Promise((resolve) => listener(toCommand(resolve))),
      cancel: () => cancel?.(),
      status: () => readStatus(status, request.attempt),
      printed: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    };
  };

  return {
    file: directory.file,
    directory: directory.path,
    spared,
    guarded,
    createRequest,
    run: (work: Work, more?: Partial<SpawnRequest>) => follow(createRequest(work, more), { verb: 'run' }),
    adopt: (request: FileRequest, more: Recorded = {}) => follow(request, { verb: 'adopt', ...more }),
  };
}
