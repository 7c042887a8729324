import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server as agents start them: it takes a while to come up, and it has a child of its own. */
const worker = spawn('sleep', ['600'], { stdio: 'ignore' });
worker.unref();

const server = createServer((request, response) => response.end(`You asked for ${request.url}. Hello!\n`));

setTimeout(() => {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    console.log(`listening on http://127.0.0.1:${port}`);
  });
}, 400);
