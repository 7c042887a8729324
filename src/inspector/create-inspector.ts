import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { InspectionEvent } from 'xstate';
import { TroupeError } from '../config/troupe-error.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { createDirectoryStore } from '../live/directory-store.ts';
import type { LiveState, LiveStore } from '../live/live-state.ts';
import { createLocalStore } from '../live/local-store.ts';
import { createSharedStore } from '../live/shared-store.ts';
import type { Ask } from '../policy/authorize.ts';
import type { StateDirectory } from '../state-directory/state-directory.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import type { SupervisorRegistry } from '../store/supervisor-registry.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { type PageGuard, TOKEN_PARAMETER } from './guard-page.ts';
import { createInspectedMachines } from './inspected-machines.ts';
import { type InspectedProcesses, toInspectedProcesses } from './inspected-processes.ts';
import { createActions } from './inspector-actions.ts';
import { createInspectorHandler, type InspectedSupervisor } from './inspector-handler.ts';
import { createOpenQuestions } from './open-questions.ts';

/** Options of `createInspector`. Only `supervisor` is required. */
export interface InspectorOptions {
  /** Runs the processes to show. */
  readonly supervisor: Supervisor;
  /** Conversations to show from the start. Default: none; see `add`. */
  readonly conversations?: readonly Conversation[];
  /** Path of the page in the program around it. Default `/`. */
  readonly path?: string;
  /**
   * Secret of the link, at least 16 characters. Default: a random one. `null`: requests that reach the handler are authorized already, by the
   * login of the site around it.
   */
  readonly token?: string | null;
  /** Host names under which the page may be reached beside those of this machine; `any` where the program around it checks them. Default: none. */
  readonly hosts?: readonly string[] | 'any';
  /** Shows everything and changes nothing. Default `false`. */
  readonly readOnly?: boolean;
  /** Title of the page. Default: the name of the working directory of the supervisor. */
  readonly title?: string;
}

/** Options of `Inspector.listen`. */
export interface ListenOptions {
  /** Port on the loopback address. Default: any that is free. */
  readonly port?: number;
}

/** Page that shows the processes and conversations of this program, live. */
export interface Inspector extends Disposable {
  /** Answers the requests of the page. Needs no `this`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Serves the page on this machine. Resolves with the link, token included, and with what ends it; rejects with TroupeError
   * `invalid-option` where the port is taken. The server keeps the program alive until `close`.
   */
  listen(options?: ListenOptions): Promise<{ readonly link: string; close(): Promise<void> }>;
  /** Returns the link to the page with its token; `origin` is that of the server, such as `http://127.0.0.1:3000`. */
  link(origin: string): string;
  /** Asks the person in front of the page: pass it to `createConversation`. A question waits until it is answered or not needed any more. */
  readonly ask: Ask;
  /** Shows machines of the program: `createActor(machine, { inspect: inspector.inspect })`. Needs no `this`. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Shows a conversation from now on, until the returned function is called. */
  add(conversation: Conversation): () => void;
  /** Denies the questions that wait. Processes and conversations stay as they are. */
  close(): void;
}

/** Page of the processes and saved conversations of a state directory. Questions and live conversations belong to their own programs. */
export function createDirectoryInspector(options: {
  readonly directory: StateDirectory;
  readonly start: InspectedProcesses['start'];
  readonly hosts: PageGuard['hosts'];
  readonly readOnly: boolean;
}): Pick<Inspector, 'fetch' | 'link'> {
  const { directory, start, hosts, readOnly } = options;
  const guard: PageGuard = { hosts, token: createToken(), path: '/' };
  const store = createDirectoryStore(directory);
  const processes = { ...directory, start };
  const questions = createOpenQuestions(() => {});
  const registry = createFileSupervisorRegistry({ directory: directory.path });
  return {
    fetch: createInspectorHandler({
      ...{ guard, store, processes },
      about: { kind: 'directory', title: directory.path, readOnly },
      act: createActions({ processes, questions, findConversation: () => undefined }),
      warnings: () => store.warnings,
      supervisors: () => listAlive(registry),
    }),
    link: (origin) => toLink(origin, guard),
  };
}

function listAlive(registry: SupervisorRegistry): readonly InspectedSupervisor[] {
  return registry
    .list()
    .flatMap(({ entry: { id, role, pid }, state }) => (state === 'alive' ? [{ id, role, pid }] : []));
}

/** Minimum interval between two updates of a page, in ms. Faster updates could not be read. */
const PAUSE_MS = 100;
/** Interval in which lengths of output are read again, in ms. */
const FIGURES_MS = 1_000;

/**
 * Creates a page that shows the processes and conversations of this program: who started what, what runs, how it ended, what the agent was
 * told, with the moments before. `fetch` mounts it in any server that speaks in `Request` and `Response`, such as Hono or a route of Next.js.
 * The page can kill processes and type into them, so each request needs the token of the link. An inspector without an open page costs nothing.
 *
 * @throws TroupeError `invalid-option` for a token that is too short, or a path that does not begin with "/".
 *
 * @example
 * const inspector = createInspector({ supervisor });
 * const { link, close } = await inspector.listen();
 */
export function createInspector(options: InspectorOptions): Inspector {
  const { supervisor, token = createToken(), readOnly = false } = options;
  const guard: PageGuard = {
    hosts: options.hosts ?? [],
    token: checkToken(token),
    path: toPath(options.path ?? '/'),
  };
  const conversations = new Map((options.conversations ?? []).map((each) => [each.id, each]));
  const local = createLocalStore({
    ...{ supervisor, timelines: true, pauseMs: PAUSE_MS, figuresMs: FIGURES_MS },
    conversations: [...conversations.values()],
  });
  let changed = () => {};
  const questions = createOpenQuestions(() => changed());
  const processes = toInspectedProcesses(supervisor);
  const machines = createInspectedMachines(() => changed());
  const store = withMore(local, {
    read: () => ({ questions: questions.list, machines: machines.record }),
    open: (onChange) => {
      changed = onChange;
    },
  });
  const close = () => questions.close();
  const fetch = createInspectorHandler({
    ...{ guard, store, processes },
    about: { kind: 'program', title: options.title ?? basename(supervisor.cwd), readOnly },
    act: createActions({ processes, questions, findConversation: (id) => conversations.get(id) }),
    warnings: () => [],
    supervisors: () => [{ id: supervisor.id, role: 'program', pid: process.pid }],
  });
  return {
    fetch,
    listen: ({ port = 0 } = {}) => listen(port, { fetch, guard }),
    link: (origin) => toLink(origin, guard),
    ask: questions.ask,
    inspect: machines.inspect,
    add: (conversation) => {
      conversations.set(conversation.id, conversation);
      const remove = local.add(conversation);
      return () => {
        if (conversations.get(conversation.id) === conversation) conversations.delete(conversation.id);
        remove();
      };
    },
    close,
    [Symbol.dispose]: close,
  };
}

async function listen(
  port: number,
  { fetch, guard }: { readonly fetch: Inspector['fetch']; readonly guard: PageGuard },
): ReturnType<Inspector['listen']> {
  const { serveHttp } = await import('../mcp/http/serve-http.ts');
  const listener = await serveHttp({
    ...{ address: { host: '127.0.0.1', port }, path: '', option: 'port', fetch },
    onError: (error) => process.emitWarning(error),
  });
  if (listener.type === 'refused')
    throw new TroupeError({ code: 'invalid-option', message: `createInspector: listen: ${listener.why}` });
  return { link: toLink(listener.url, guard), close: listener.close };
}

/** Returns the address of the page, with the token in it. */
function toLink(origin: string, { path, token }: PageGuard): string {
  const url = new URL(path, origin);
  if (token !== null) url.searchParams.set(TOKEN_PARAMETER, token);
  return url.href;
}

/** Adds to a state what only the inspector knows. */
function withMore(
  store: LiveStore,
  more: { read(): Pick<LiveState, 'questions' | 'machines'>; open(onChange: () => void): void },
): LiveStore {
  let last = store.getSnapshot();
  return createSharedStore({
    pauseMs: PAUSE_MS,
    read: () => {
      const next = { ...store.getSnapshot(), ...more.read() };
      const keys = Object.keys(next) as (keyof LiveState)[];
      if (keys.some((key) => next[key] !== last[key])) last = next;
      return last;
    },
    open: (onChange) => {
      more.open(onChange);
      const unsubscribe = store.subscribe(onChange);
      return () => {
        more.open(() => {});
        unsubscribe();
      };
    },
  });
}

function createToken(): string {
  return randomBytes(24).toString('base64url');
}

function checkToken(token: string | null): string | null {
  if (token === null || token.length >= 16) return token;
  const message = `createInspector: "token" has ${token.length} characters; expected at least 16, such as crypto.randomUUID(), or null where only your own users reach the page.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

/** Returns the path with a slash at its end, so that the page finds its files beside it. */
function toPath(path: string): string {
  if (path.startsWith('/')) return path.endsWith('/') ? path : `${path}/`;
  const message = `createInspector: "path" is ${JSON.stringify(path)}; expected a path that begins with "/".`;
  throw new TroupeError({ code: 'invalid-option', message });
}
