import { onTestFinished } from 'vitest';
import type { BackendCommand, WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, ScreenCapture } from '../../../machines/process/terminal.ts';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import type { OutputSink } from '../../../src/output/output-sink.ts';
import type { SpawnRequest, ToldFact, Work } from '../../../src/spawn/backend.ts';
import { createPtyBackend } from '../../../src/spawn/pty/pty-backend.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import type { ProcessTable } from '../../../src/spawn/tree/process-table.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { carriers, endAll, waitUntil } from '../../support/os.ts';
import { createMemoryLog } from '../../support/output-logs.ts';

export const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

/** Creates a backend with ptys, whose runs end with the test. */
export function createStage(options: { table?: ProcessTable } = {}) {
  const backend = createPtyBackend({
    table: options.table ?? createCurrentTable(),
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: (error) => {
      throw error;
    },
    tmuxSocket: null,
  });
  if ('why' in backend) throw new Error(backend.why);
  const clock = createRealClock();

  const play = (
    work: Work,
    changes: Partial<SpawnRequest> & { toSink?: (sink: OutputSink) => OutputSink } = {},
  ) => {
    const id = `tool_pty_${Math.random().toString(36).slice(2, 10)}`;
    const { toSink = (sink: OutputSink) => sink, ...others } = changes;
    const request: SpawnRequest = {
      id,
      attempt: 1,
      work,
      cwd: '/',
      stdin: 'end',
      files: null,
      outlives: false,
      terminal: { columns: 80, rows: 24 },
      limits: null,
      secrets: [],
      ...others,
      env: {
        PATH: process.env['PATH'] ?? '',
        LC_ALL: 'C.UTF-8',
        TROUPE_LINEAGE: `/sup_pty/${id}/`,
        ...others.env,
      },
    };
    const log = createMemoryLog({ clock, maxBufferBytes: 16 * 1024 * 1024, headBytes: 1024 });
    onTestFinished(async () => {
      await endAll([], `/${id}/`);
      await log.close();
    });
    const facts: ToldFact[] = [];
    const kept: ScreenCapture[] = [];
    let listener: (command: BackendCommand) => void = () => {
      throw new Error('the backend listens to no commands');
    };
    const cancel = backend.run({
      request,
      output: toSink(log),
      clock,
      keepScreen: (screen) => kept.push(screen),
      tell: (fact) => void facts.push(fact),
      onCommand: (given) => {
        listener = given;
      },
    });
    const send = (command: BackendCommand) => listener(command);
    const capture = () =>
      new Promise<CaptureAnswer>((reply) =>
        send({ type: 'terminal.capture', scrollbackLines: 0, withDrawing: false, reply }),
      );
    return {
      request,
      facts,
      kept,
      cancel,
      send,
      capture,
      fact: <T extends ToldFact['type']>(type: T) =>
        waitUntil(() => facts.find((fact): fact is Extract<ToldFact, { type: T }> => fact.type === type), {
          withinMs: 20_000,
          what: () => `${type} is reported; reported were ${facts.map((fact) => fact.type).join(', ')}`,
        }) as Promise<Extract<ToldFact, { type: T }>>,
      text: () => {
        const pieces = [...log.chunks(0)];
        const bytes = pieces.flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : []));
        return Buffer.concat(bytes).toString();
      },
      shows: (text: string) =>
        waitUntil(
          async () => {
            const answer = await capture();
            return answer.ok && answer.screen.lines.join('\n').includes(text) ? answer.screen : null;
          },
          { withinMs: 20_000, what: `${text} is on the screen` },
        ),
      ask: (toCommand: (reply: (result: WriteResult) => void) => BackendCommand) =>
        new Promise<WriteResult>((resolve) => send(toCommand(resolve))),
      alive: () => carriers(`/${id}/`),
    };
  };
  return { backend, clock, play };
}
