import type { WriteFailure } from '../../machines/process/events.ts';
import type { CaptureAnswer } from '../../machines/process/terminal.ts';
import { TroupeError } from '../../src/config/troupe-error.ts';
import type { FollowedText } from '../../src/output/followed-text.ts';
import type { OutputTimes } from '../../src/output/output-times.ts';
import type { OutputRead } from '../../src/output/read-output.ts';
import type { KillAnswer } from '../../src/process/process-handle.ts';
import type { FinalView, ProcessView } from '../../src/process/process-view.ts';
import type { Waited } from '../../src/process/waited.ts';
import type { SeenProcess, SeenSchedule, StateDirectory } from '../../src/state-directory/state-directory.ts';
import type { WatchNews } from '../../src/watches/watch.ts';

/** Processes of which a test says all that happens to them. */
export interface FakeProcess {
  readonly view: ProcessView;
  readonly answered?: boolean;
  /** `droppedBytes`: so many are missing right before it. */
  readonly output?: readonly (Pick<FollowedText, 'stream'> & {
    readonly bytes: Uint8Array | string;
    readonly droppedBytes?: number;
  })[];
  readonly times?: OutputTimes;
  readonly answer?: KillAnswer;
  readonly screen?: CaptureAnswer;
  readonly news?: readonly WatchNews[];
  /** What a wait for something of it comes to; without it, it never does. */
  readonly waited?: Omit<Waited, 'process'>;
  /** What its supervisor knows. */
  readonly secrets?: readonly string[];
  /** Why it takes no secret of any name. */
  readonly secretRefusal?: WriteFailure;
}

/** A state directory without processes of the operating system; it tells what it was asked to do. */
export function fakeStateDirectory(
  processes: readonly FakeProcess[],
  {
    warnings = [],
    schedules = [],
    isHeard = true,
  }: {
    readonly warnings?: readonly string[];
    readonly schedules?: readonly SeenSchedule[];
    /** Whether anybody listens to a new schedule. */
    readonly isHeard?: boolean;
  } = {},
) {
  const done = (bytesWritten = 0) => ({ ok: true, bytesWritten }) as const;
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
    return (find(id).process.output ?? []).map(({ stream, bytes, droppedBytes = 0 }) => {
      offset += droppedBytes;
      const piece = { stream, bytes: Buffer.from(bytes as string), offset, droppedBytes };
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
    show: async (id) => ({ ...find(id).known, timeline: [{ at: 0, type: 'process.created' }] }),
    read: async (id, { tail, since = 0, stream = 'both' } = {}) => {
      const all = pieces(id);
      const to = all.reduce((sum, { bytes, droppedBytes }) => sum + droppedBytes + bytes.byteLength, 0);
      const read = {
        to,
        text: '',
        droppedBytes: 0,
        omittedBytes: 0,
        truncated: false,
        ended: true,
        problem: null,
      };
      const positions = { stdout: 0, stderr: 0, screen: 0 };
      const lines = all
        .filter((piece) => stream === 'both' || piece.stream === stream)
        .flatMap(({ offset, bytes }) => lineOffsets(bytes).map((at) => offset + at))
        .filter((offset) => offset >= (since as number));
      const from = tail === undefined ? (since as number) : (lines.at(-tail) ?? lines[0] ?? to);
      return { ...read, from: tail === 0 ? to : from, positions } satisfies OutputRead;
    },
    times: async (id) => find(id).process.times ?? { marks: [], lastAt: null },
    async *events() {},
    async *follow(id, { from }) {
      for (const piece of pieces(id)) {
        const skip = Math.max(0, from - piece.offset);
        if (skip >= piece.bytes.byteLength) continue;
        yield { ...piece, offset: piece.offset + skip, bytes: piece.bytes.subarray(skip) };
      }
      if (!('endedAt' in find(id).process.view)) await waitFor(id).promise;
    },
    wait: async (id, { signal } = {}) => {
      const { view } = find(id).process;
      const left = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
      return 'endedAt' in view ? view : Promise.race([waitFor(id).promise, left]);
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
    waitFor: async (id, order, { signal } = {}) => {
      orders.push({ waitFor: id, ...order });
      const { waited, view } = find(id).process;
      if (waited !== undefined) return { ...waited, process: view };
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
    capture: async (id, options) => {
      orders.push({ capture: id, ...options });
      const noTerminal = { ok: false, code: 'noTerminal', error: `Process ${id} has no terminal.` } as const;
      return find(id).process.screen ?? noTerminal;
    },
    sendKeys: async (id, order) => {
      orders.push({ sendKeys: id, ...order });
      return done(1);
    },
    paste: async (id, text) => {
      orders.push({ paste: id, text });
      return done(text.length);
    },
    resize: async (id, size) => {
      orders.push({ resize: id, ...size });
      return done();
    },
    writeSecret: async (id, { name, value, pressEnter }) => {
      orders.push({ writeSecret: id, name, isGiven: value !== undefined, pressEnter });
      const code = find(id).process.secretRefusal;
      if (code !== undefined) return { ok: false, bytesWritten: 0, code, error: `It is ${code}.` };
      if (value !== undefined || find(id).process.secrets?.includes(name)) return done();
      return { ok: false, bytesWritten: 0, code: 'invalid', error: `There is no secret "${name}".` };
    },
    async *watch(id, { signal: _, ...options }) {
      orders.push({ watch: id, ...options });
      yield* find(id).process.news ?? [];
      await this.wait(id);
    },
    unwatch: async () => false,
    watches: async () => [],
    schedule: async (options) => {
      orders.push({ schedule: options });
      return { ...toSchedule(options.message, options.owner ?? 'assistant_1'), isHeard };
    },
    unschedule: async (id) => {
      orders.push({ unschedule: id });
      const found = schedules.find((schedule) => schedule.id === id);
      if (found?.answered === false) {
        throw new TroupeError({ code: 'unreachable', message: `Schedule ${id} was not taken back.` });
      }
      return found !== undefined;
    },
    schedules: async () => ({ schedules, warnings }),
    background: async (id) => find(id).process.view.status === 'running',
    signal: async (id, options) => {
      orders.push({ signalled: id, ...options });
      return { ok: true, pids: [4711], message: `${options.signal} was sent to 1 process of ${id}.` };
    },
    pause: async (id) => {
      orders.push({ pause: id });
      return { ok: true, pids: [4711], message: `Process ${id} is paused (1 process).` };
    },
    resume: async (id) => {
      orders.push({ resume: id });
      return { ok: false, code: 'ended', message: `Process ${id} was not signalled: it exited with code 0.` };
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

/** Due in a minute of the first of January 1970. */
export function toSchedule(message: string, owner: string): SeenSchedule {
  const when = { everyMs: 60_000, nextAt: 60_000, createdAt: 0, told: 0 };
  return {
    id: 'schedule_1',
    owner,
    message,
    ...when,
    processId: null,
    supervisorId: 'sup_1',
    answered: true,
    keeper: 'alive',
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
