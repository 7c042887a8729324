import { createInspector, type InspectorOptions } from '../../src/inspector/create-inspector.ts';
import { createVirtualHarness } from '../support/virtual.ts';

export const token = 'a-token-of-24-characters';
export const origin = 'http://127.0.0.1:7434';

/** An inspector of a program whose processes are played by hand, and a browser that opened its link. */
export function openInspector(options: Partial<InspectorOptions> = {}) {
  const rig = createVirtualHarness();
  const { backend, supervisor } = rig;
  const inspector = createInspector({ supervisor, token, ...options });

  /** Sends a request as a browser does, with the cookie if there is one. */
  const request = (path: string, init: RequestInit = {}, from = origin) =>
    inspector.fetch(
      new Request(new URL(path, from), {
        ...init,
        headers: { host: new URL(from).host, cookie: cookie ?? '', ...init.headers },
      }),
    );
  let cookie: string | null = null;
  const open = async () => {
    const response = await inspector.fetch(new Request(inspector.link(origin)));
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? null;
    return response;
  };
  const order = async (method: string, params: object, init: RequestInit = {}) => {
    const response = await request('/api/act', {
      method: 'POST',
      body: JSON.stringify({ method, params }),
      ...init,
      headers: { 'content-type': 'application/json', origin, ...init.headers },
    });
    return { status: response.status, answer: await response.json() };
  };
  return {
    ...{ backend, supervisor, inspector, request, open, order },
    read: async (path: string) => (await request(path)).json(),
    start: (label: string) => supervisor.start({ command: ['make'], label, background: true }),
    [Symbol.asyncDispose]: async () => {
      inspector.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}
