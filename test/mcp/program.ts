// A server of the protocol as a program of its own: on stdio, or with an address as its argument by HTTP.
import { parseHttpAddress, runMcpServer } from '../../src/mcp/index.ts';

const [address] = process.argv.slice(2);
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());

process.exitCode = await runMcpServer({
  ...(address !== undefined && { http: { address: parseHttpAddress(address) } }),
  supervisor: { shutdownGrace: 500 },
  signal: stop.signal,
  log: (line) => process.stderr.write(`${line}\n`),
});
