/** Tells the parent that the module has a function that obeys its abort signal. */
export const listeningMessage = 'troupe.listening';

/**
 * Returns the program of a worker: it loads the module and calls its default export, if that is a function, like a function of this program.
 * Any message is the order to stop. A text, so that bundles need no file beside them.
 */
export function toWorkerScript(moduleUrl: string, id: string): string {
  return `
const { parentPort, workerData } = require('node:worker_threads');
const aborter = new AbortController();
const write = (stream) => (text) => stream.write(text) ? undefined : new Promise((resolve) => stream.once('drain', resolve));
(async () => {
  const { default: run } = await import(${JSON.stringify(moduleUrl)});
  if (typeof run !== 'function') return;
  parentPort.on('message', (reason) => aborter.abort(new Error(reason)));
  parentPort.unref();
  parentPort.postMessage(${JSON.stringify(listeningMessage)});
  const { signal } = aborter;
  const result = await run({ id: ${JSON.stringify(id)}, signal, workerData, stdout: write(process.stdout), stderr: write(process.stderr) });
  if (result !== undefined) process.stdout.write(typeof result === 'string' ? result : (JSON.stringify(result) ?? String(result)) + '\\n');
})().catch((error) => {
  // Bun may end the thread before it looks at a rejection, with code 0.
  parentPort.ref();
  setImmediate(() => { throw error; });
});
`;
}
