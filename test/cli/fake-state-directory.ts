import type { FollowedText, SeenProcess, StateDirectory } from '../../src/control/state-directory.ts';
import type { OutputRead } from '../../src/output/read-output.ts';
import type { KillAnswer } from '../../src/process/process-handle.ts';
import type { FinalView, ProcessView } from '../../src/process/process-view.ts';

/** Processes of which a test says all that happens to them. */
export interface FakeProcess {
  readonly view: ProcessView;
  readonly answered?: boolean;
  readonly output?: readonly (Pick<FollowedText, 'stream'> & { readonly bytes: Uint8Array | string })[];
  readonly answer?: KillAnswer;
}

/** A state directory without processes of the operating system; it tells what it was asked to do. */
export function fakeStateDirectory(
  processes: readonly FakeProcess[],
  { warnings = [] }: { readonly warnings?: readonly string[] } = {},
) {
  const orders: unknown[] = [];
  const waiting = new Map<string, PromiseWithResolvers<FinalView>>();
  const seen = processes.map(
    ({ view, answered = true }): SeenProcess => ({ view, answered, supervisorId: 'sup_1' }),
  );
  const find = (id: string) => {
    const index = processes.findIndex(({ view }) => view.id === id);
    const [process, known] = [processes[index], seen[index]];
    if (process === undefined || known === undefined) throw new Error(`the test has no process ${id}`);
    return { process, known };
  };
  const pieces = (id: string): readonly FollowedText[] => {
    let offset = 0;
    return (find(id).process.output ?? []).map(({ stream, bytes }) => {
      const piece = { stream, bytes: Buffer.from(bytes as string), offset, droppedBytes: 0 };
      offset += piece.bytes.byteLength;
      return piece;
    });
  };
  const waitFor = (id: string) => {
    const entry = waiting.get(id) ?? Promise.withResolvers<FinalView>();
    waiting.set(id, entry);
    return entry;
  };

  const directory: StateDirectory = {
    path: '/project/.troupe',
    list: async () => ({ processes: seen, warnings }),
    show: async (id) => ({ ...find(id).known, timeline: [{ at: 0, event: 'created' }] }),
    read: async (id, { tail, since = 0, stream = 'both' } = {}) => {
      const all = pieces(id);
      const to = all.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
      const read = { to, text: '', droppedBytes: 0, truncated: false, ended: true, problem: null };
      const positions = { stdout: 0, stderr: 0, screen: 0 };
      const lines = all
        .filter((piece) => stream === 'both' || piece.stream === stream)
        .flatMap(({ offset, bytes }) => lineOffsets(bytes).map((at) => offset + at))
        .filter((offset) => offset >= (since as number));
      const from = tail === undefined ? (since as number) : (lines.at(-tail) ?? lines[0] ?? to);
      return { ...read, from: tail === 0 ? to : from, positions } satisfies OutputRead;
    },
    async *follow(id, { from }) {
      for (const piece of pieces(id)) {
        const skip = Math.max(0, from - piece.offset);
        if (skip >= piece.bytes.byteLength) continue;
        yield { ...piece, offset: piece.offset + skip, bytes: piece.bytes.subarray(skip) };
      }
      if (!('endedAt' in find(id).process.view)) await waitFor(id).promise;
    },
    wait: async (id) => {
      const { view } = find(id).process;
      return 'endedAt' in view ? view : waitFor(id).promise;
    },
    kill: async (id, options) => {
      orders.push({ kill: id, ...options });
      return find(id).process.answer ?? { type: 'cancelled', message: `Process ${id} was cancelled.` };
    },
    write: async (id, data) => {
      orders.push({ write: id, data: Buffer.from(data).toString() });
      return { ok: true, bytesWritten: data.byteLength };
    },
    endInput: async (id) => {
      orders.push({ endInput: id });
      return { ok: true, bytesWritten: 0 };
    },
    restart: async (id) => {
      orders.push({ restart: id });
      return !('endedAt' in find(id).process.view);
    },
    changeLimits: async (id, changes) => {
      orders.push({ changeLimits: id, ...changes });
      return !('endedAt' in find(id).process.view);
    },
    sweep: async (options) => {
      orders.push({ sweep: options });
      return { forgotten: 2, logsRemoved: 1, freedBytes: 2_048, warnings: [] };
    },
    close: () => void orders.push('close'),
  };
  return {
    open: () => directory,
    /** What it was asked to change, in order; at the end that it was closed. */
    orders,
    end: (view: FinalView) => waitFor(view.id).resolve(view),
  };
}

/** Where lines begin. */
function lineOffsets(bytes: Uint8Array): readonly number[] {
  const starts = bytes.byteLength === 0 ? [] : [0];
  for (let at = bytes.indexOf(10); at !== -1 && at + 1 < bytes.byteLength; at = bytes.indexOf(10, at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}
