import picomatch from 'picomatch';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { waitFor } from '../observe/wait-for.ts';
import { toFollowedText } from '../output/followed-text.ts';
import type { Ask } from '../policy/authorize.ts';
import type { KillOptions, ProcessHandle, SignalOptions } from '../process/process-handle.ts';
import type { FinalView } from '../process/process-view.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { AttachedClients } from './attached-clients.ts';
import { type FollowItem, type Hello, MAX_PIECE_BYTES } from './protocol.ts';
import { sendEvents } from './send-events.ts';
import { sendNotifications } from './send-notifications.ts';
import type { AnswerRequest, RequestPort } from './served-client.ts';
import { toCommandSpec } from './to-command-spec.ts';

/** Supervisor behind a control socket, and what its clients may use. */
interface ControlledSupervisor {
  readonly supervisor: Supervisor;
  readonly role: Hello['role'];
  /** Globs for names of client variables that are not passed to processes. */
  readonly redactNames: readonly string[];
  /** Asks the person in front of this program; `null` where there is none. */
  readonly ask: Ask | null;
  /** Serves the Model Context Protocol; `null` where the program does not. */
  readonly attached: AttachedClients | null;
  /** Ends the daemon. */
  readonly onShutdown: () => void;
}

// biome-ignore lint/suspicious/noExplicitAny: the parameters were checked against the method's own schema.
type Answers = Readonly<Record<string, (params: any, port: RequestPort) => unknown>>;

/** Creates the functions that execute validated requests. */
export function createRequestHandlers(controlled: ControlledSupervisor): AnswerRequest {
  const { supervisor, role } = controlled;
  const isRedacted = picomatch([...controlled.redactNames], { bash: true, dot: true });
  const find = (id: string): ProcessHandle => supervisor.get(id) ?? throwNotFound(id, supervisor);
  const hello: Hello = { supervisorId: supervisor.id, role, pid: process.pid, cwd: supervisor.cwd };

  const answers: Answers = {
    hello: () => hello,
    list: () => supervisor.list(),
    show: async ({ id }) => {
      const handle = find(id);
      // The view may be several seconds behind.
      await handle.awaitedInput();
      return { view: handle.view(), timeline: handle.timeline() };
    },
    read: ({ id, options }) => find(id).read(options, 'user'),
    times: ({ id }) => find(id).times(),
    follow: ({ id, from }, port) => follow(find(id), { from, port }),
    wait: ({ id }, { signal }) => untilEnded(find(id), signal),
    waitFor: ({ id, options }, { signal }) => waitFor(find(id), { ...options, signal }),
    kill: ({ id, options }: { id: string; options: KillOptions }) => find(id).kill(options),
    write: ({ id, data }) => find(id).write(Buffer.from(data, 'base64')),
    endInput: ({ id }) => find(id).endInput(),
    capture: ({ id, options }) => find(id).capture(options),
    sendKeys: ({ id, order }) => find(id).sendKeys(order),
    paste: ({ id, text }) => find(id).paste(text),
    resize: ({ id, size }) => find(id).resize(size),
    writeSecret: ({ id, name, ...options }, { signal }) => find(id).writeSecret(name, { ...options, signal }),
    watch: ({ id, options }, port) => sendNotifications(find(id), { supervisor, options, port }),
    events: ({ since }, port) => sendEvents(supervisor, { since, port }),
    unwatch: ({ id, ...options }) => supervisor.unwatch(find(id).id, options),
    watches: (filter) => supervisor.watches(filter),
    schedule: ({ options }) => {
      const schedule = supervisor.schedule(options);
      return { ...schedule, isHeard: supervisor.isHeard(schedule.owner) };
    },
    unschedule: ({ id }) => supervisor.unschedule(id),
    schedules: (filter) => supervisor.schedules(filter),
    signal: ({ id, options }: { id: string; options: SignalOptions }) => find(id).signal(options),
    pause: ({ id }) => find(id).pause(),
    resume: ({ id }) => find(id).resume(),
    restart: ({ id }) => find(id).restart(),
    background: ({ id }) => find(id).background(),
    changeLimits: ({ id, changes }) => find(id).changeLimits(changes),
    start: ({ spec, env }) => supervisor.start(toCommandSpec({ spec, env, isRedacted })).view(),
    askPermission: ({ question }, { signal }) => {
      if (controlled.ask === null) throw noPersonError();
      return controlled.ask(question, signal);
    },
    mcp: (options, port) => (controlled.attached ?? throwNoMcp()).serve(options, port),
    mcpMessage: (message) => (controlled.attached ?? throwNoMcp()).receive(message),
    sweep: ({ all }) => supervisor.sweep({ all }),
    shutdown: () => {
      if (role !== 'daemon') throw notDaemonError();
      controlled.onShutdown();
    },
  };

  return ({ method, params }, port) => answers[method]?.(params, port);
}

async function follow(
  handle: ProcessHandle,
  { from, port }: { from: number; port: RequestPort },
): Promise<null> {
  for await (const piece of handle.output({ from, signal: port.signal })) {
    if (piece.type === 'gap') {
      await port.send(toItem(toFollowedText(piece)));
      continue;
    }
    for (let at = 0; at < piece.bytes.byteLength; at += MAX_PIECE_BYTES) {
      const bytes = piece.bytes.subarray(at, at + MAX_PIECE_BYTES);
      const offset = piece.offset + at;
      await port.send(toItem({ stream: piece.stream, offset, droppedBytes: 0, bytes }));
    }
  }
  return null;
}

function toItem({ bytes, ...place }: Omit<FollowItem, 'bytes'> & { bytes: Uint8Array }): FollowItem {
  const { buffer, byteOffset, byteLength } = bytes;
  return { ...place, bytes: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
}

/** Waits for the end; removes its subscription when the client disconnects first. */
function untilEnded(handle: ProcessHandle, signal: AbortSignal): Promise<FinalView> {
  return new Promise((resolve, reject) => {
    const subscription = handle.status$.subscribe({
      complete: () => {
        signal.removeEventListener('abort', leave);
        handle.ended.then(resolve, reject);
      },
    });
    function leave() {
      subscription.unsubscribe();
      reject(signal.reason);
    }
    signal.addEventListener('abort', leave);
  });
}

function throwNotFound(id: string, supervisor: Supervisor): never {
  const message = `Process ${quote(id)} is not one of supervisor ${supervisor.id}.`;
  throw new TroupeError({ code: 'not-found', message });
}

function noPersonError(): TroupeError {
  const message = `The program with pid ${process.pid} cannot ask a person.`;
  return new TroupeError({ code: 'protocol', message });
}

function throwNoMcp(): never {
  const message = `The program with pid ${process.pid} does not serve the Model Context Protocol on its control socket; the daemon of \`troupe serve\` does.`;
  throw new TroupeError({ code: 'protocol', message });
}

function notDaemonError(): TroupeError {
  const message = `This supervisor is part of the program with pid ${process.pid}: end that program instead.`;
  return new TroupeError({ code: 'protocol', message });
}
