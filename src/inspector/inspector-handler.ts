import { toErrorText } from '../config/error-text.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { FollowItem } from '../control/protocol.ts';
import { createLiveHandler } from '../live/live-handler.ts';
import type { LiveStore } from '../live/live-state.ts';
import { createMachineUsage } from '../readiness/machine-usage.ts';
import type { ProcessUsage } from '../spawn/tree/tree-usage.ts';
import { guardPage, type PageGuard, refuse } from './guard-page.ts';
import type { InspectedProcesses } from './inspected-processes.ts';
import type { Act } from './inspector-actions.ts';
import { readPageFile } from './page-files.ts';

/** Facts about an inspector that a page shows. */
export interface AboutInspector {
  readonly kind: 'program' | 'directory';
  /** Name of the program or path of the directory. */
  readonly title: string;
  readonly readOnly: boolean;
}

/** Program with a supervisor that is alive. */
export interface InspectedSupervisor {
  readonly id: string;
  readonly role: 'program' | 'daemon';
  readonly pid: number;
}

/** Parts that serve a page. */
export interface InspectorHandlerDeps {
  readonly guard: PageGuard;
  readonly about: AboutInspector;
  readonly store: LiveStore;
  readonly processes: InspectedProcesses;
  readonly act: Act;
  /** Returns one sentence per part that cannot be shown. */
  warnings(): readonly string[];
  supervisors(): readonly InspectedSupervisor[];
}

/** Largest order of a page, in bytes: a paste of half a megabyte fits. */
const MAX_ORDER_BYTES = 1024 * 1024;

/** Maximum number of processes whose usage is read in one request. */
const MAX_METERED = 200;

/** Creates the `fetch` handler of the page and its API. It never rejects. */
export function createInspectorHandler(deps: InspectorHandlerDeps): (request: Request) => Promise<Response> {
  const { guard, about, processes } = deps;
  const live = createLiveHandler({ store: deps.store, token: null });
  const measure = createMeter(deps);
  const routes: Readonly<Record<string, (request: Request, query: URLSearchParams) => Promise<Response>>> = {
    'api/snapshot': live,
    'api/events': live,
    'api/about': async () =>
      json({ ...about, now: Date.now(), warnings: deps.warnings(), supervisors: deps.supervisors() }),
    'api/show': async (_, query) => json(await processes.show(query.get('id') ?? '')),
    'api/times': async (_, query) => json(await processes.times(query.get('id') ?? '')),
    'api/usage': async (_, query) =>
      json(await measure((query.get('ids') ?? '').split(',').slice(0, MAX_METERED))),
    'api/output': async ({ signal }, query) => {
      const from = Number(query.get('from') ?? 0);
      return sendOutput(processes, {
        id: query.get('id') ?? '',
        from: Number.isSafeInteger(from) ? from : 0,
        signal,
      });
    },
    'api/act': (request) => act(request, deps),
  };
  return async (request) => {
    const refused = guardPage(request, guard);
    if (refused !== null) return refused;
    const { pathname, searchParams } = new URL(request.url);
    if (`${pathname}/` === guard.path) return Response.redirect(new URL(guard.path, request.url), 308);
    if (!pathname.startsWith(guard.path)) return refuse(404, `The inspector is at ${guard.path}.`);
    const name = pathname.slice(guard.path.length);
    const expected = name === 'api/act' ? 'POST' : 'GET';
    if (request.method !== expected)
      return refuse(405, `${name === '' ? 'The page' : name} takes ${expected} only.`);
    try {
      const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
      if (route !== undefined) return await route(request, searchParams);
      return (
        (await readPageFile(name === '' ? 'index.html' : name)) ??
        refuse(404, 'There is no such file of the inspector.')
      );
    } catch (error) {
      return toFault(error);
    }
  };
}

async function act(request: Request, { act: carryOut, about }: InspectorHandlerDeps): Promise<Response> {
  if (about.readOnly) {
    const message = 'This inspector is read-only: it was started without the right to change anything.';
    return json({ error: { code: 'read-only', message } }, 403);
  }
  if (request.headers.get('content-type')?.startsWith('application/json') !== true)
    return refuse(415, 'An order is JSON: send it with "content-type: application/json".');
  const order = await readOrder(request);
  if (order === null)
    return refuse(400, `An order is {"method": …, "params": {…}} of at most ${MAX_ORDER_BYTES} bytes.`);
  return json({ result: (await carryOut(order)) ?? null });
}

async function readOrder(request: Request): Promise<{ method: string; params: unknown } | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request.body ?? []) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > MAX_ORDER_BYTES) return null;
  }
  try {
    const order = JSON.parse(Buffer.concat(pieces).toString()) as {
      method?: unknown;
      params?: unknown;
    } | null;
    return typeof order?.method === 'string' ? { method: order.method, params: order.params } : null;
  } catch {
    return null;
  }
}

/** Sends output as JSON lines, as fast as the page reads them. */
function sendOutput(
  processes: InspectedProcesses,
  { id, from, signal }: { readonly id: string; readonly from: number; readonly signal: AbortSignal },
): Response {
  const leave = new AbortController();
  const pieces = processes.follow(id, { from, signal: AbortSignal.any([signal, leave.signal]) });
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { value, done } = await iterator.next();
          if (done === true) return controller.close();
          const { bytes, ...place } = value;
          const item: FollowItem = { ...place, bytes: Buffer.from(bytes).toString('base64') };
          controller.enqueue(encoder.encode(`${JSON.stringify(item)}\n`));
        } catch (error) {
          if (signal.aborted || leave.signal.aborted) return controller.close();
          controller.enqueue(
            encoder.encode(`${JSON.stringify({ error: toErrorText(error), code: toCode(error) })}\n`),
          );
          controller.close();
        }
      },
      cancel: () => leave.abort(),
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: { ...JSON_HEADERS, 'content-type': 'application/x-ndjson' } });
}

function createMeter({ store }: Pick<InspectorHandlerDeps, 'store'>) {
  const readUsage = createMachineUsage();
  return async (ids: readonly string[]): Promise<Readonly<Record<string, ProcessUsage>>> => {
    const asked = new Set(ids);
    const views = store.getSnapshot().processes.filter(({ id }) => asked.has(id));
    return Object.fromEntries(await readUsage(views));
  };
}

const JSON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function json(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: JSON_HEADERS });
}

function toCode(error: unknown): string {
  return error instanceof TroupeError ? error.code : 'internal';
}

function toFault(error: unknown): Response {
  const code = toCode(error);
  const status = code === 'not-found' ? 404 : code === 'internal' ? 500 : code === 'unreachable' ? 503 : 400;
  return json({ error: { code, message: toErrorText(error) } }, status);
}
