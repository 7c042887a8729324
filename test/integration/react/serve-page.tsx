import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { renderToString } from 'react-dom/server';
import { rolldown } from 'rolldown';
import { createLiveHandler, type LocalStore } from 'troupe';
import { App } from './example.tsx';

const token = crypto.randomUUID();

/** Serves the page of the example, rendered on the server, and the state it follows, on loopback. */
export async function servePage(store: LocalStore, conversation: string) {
  const handle = createLiveHandler({ store, token });
  const script = await bundlePage();
  const streams = { opened: 0, open: 0 };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '/', headers } = request;
    if (url === '/page.js') return void response.setHeader('content-type', 'text/javascript').end(script);
    if (!url.startsWith('/api/troupe/'))
      return void response.setHeader('content-type', 'text/html').end(toHtml());
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    if (url.includes('/events')) {
      streams.opened += 1;
      streams.open += 1;
      response.on('close', () => {
        streams.open -= 1;
      });
    }
    const answered = await handle(
      new Request(`http://${headers.host}${url}`, {
        headers: headers as Record<string, string>,
        signal: gone.signal,
      }),
    );
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    Readable.fromWeb(answered.body as never)
      .on('error', () => {})
      .pipe(response);
  };
  const toHtml = () => {
    const given = { initial: store.getSnapshot(), token, conversation };
    const html = renderToString(<App store={store} agent={conversation} />);
    const data = JSON.stringify(given).replaceAll('<', '\\u003c');
    return `<!doctype html><link rel="icon" href="data:,"><div id="root">${html}</div><script>globalThis.given = ${data}</script><script src="/page.js"></script>`;
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    streams,
    /** Ends all connections, as a network does. */
    cut: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bundlePage(): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, 'page.tsx'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    // It warns of "use client", which means nothing here.
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'iife' });
  await build.close();
  return output[0].code;
}
