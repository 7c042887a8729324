import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { waitFor } from '../../src/index.ts';
import { findFreePort, holdPort } from '../readiness/rig.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

const options = { timeout: 60_000 };
const timeout = '40s';

test('a port is waited for until its own tree listens', options, async () => {
  await using stage = openRealHarness();
  const port = await findFreePort();
  const server = stage.supervisor.start({ command: serve(port, { afterMs: 200 }), background: true });

  const up = await waitFor(server, { port, timeout });
  const answers = await waitFor(server, { http: `http://127.0.0.1:${port}/`, timeout });

  expect(up).toMatchObject({ end: { type: 'met' }, met: ['port'] });
  expect(answers).toMatchObject({ end: { type: 'met' }, met: ['http'] });
});

test('a port that another program holds fails at once and names the holder', options, async () => {
  await using stage = openRealHarness();
  const port = await holdPort('127.0.0.1');
  const idle = stage.supervisor.start({ command: ['sleep', '100'], background: true });

  const byPort = await waitFor(idle, { port, timeout });
  const byHttp = await waitFor(idle, { http: `http://127.0.0.1:${port}/`, timeout });

  const words = expect.stringContaining(`pid ${process.pid}`);
  expect(byPort.end).toEqual({ type: 'impossible', why: words });
  expect(byHttp.end).toEqual({ type: 'impossible', why: words });
});

test('a port is free once no program listens', options, async () => {
  await using stage = openRealHarness();
  const port = await findFreePort();
  const server = stage.supervisor.start({ command: serve(port), background: true });
  await waitFor(server, { port, timeout });

  const held = await waitFor(server, { portFree: port, timeout: '300ms' });
  const waiting = waitFor(server, { portFree: port, timeout });
  await server.kill();
  const free = await waiting;
  const later = await waitFor(server, { portFree: port, timeout });

  expect(held).toMatchObject({ end: { type: 'timeout' }, missing: ['portFree'] });
  expect(free).toMatchObject({ end: { type: 'met' }, met: ['portFree'] });
  expect(later.met).toEqual(['portFree']);
});

test('a port that is held by what was left behind counts', options, async () => {
  await using stage = openRealHarness();
  const port = await findFreePort();
  const [node, , program] = serve(port);
  const script = `'${node}' -e '${program}' >/dev/null 2>&1 & until [ -e go ]; do sleep 0.1; done`;
  const leader = stage.supervisor.start({ command: script, background: true });
  await waitFor(leader, { port, timeout });
  writeFileSync(`${stage.directory}/go`, '');
  await leader.ended;

  const served = await waitFor(leader, { port, timeout });
  const answers = await waitFor(leader, { http: `http://127.0.0.1:${port}/`, timeout });
  const held = await waitFor(leader, { portFree: port, timeout });
  await leader.kill();

  expect(served.met).toEqual(['port']);
  expect(answers.met).toEqual(['http']);
  expect(held).toMatchObject({ end: { type: 'ended' }, missing: ['portFree'] });
});

test('a file is waited for where the process runs', options, async () => {
  await using stage = openRealHarness();
  const writer = stage.supervisor.start({
    command: 'until [ -e go ]; do sleep 0.1; done; echo x >made',
    background: true,
  });

  const waiting = waitFor(writer, { file: 'made', timeout });
  writeFileSync(`${stage.directory}/go`, '');
  const waited = await waiting;

  expect(waited).toMatchObject({ end: { type: 'met' }, met: ['file'] });
  expect(existsSync(`${stage.directory}/made`)).toBe(true);
});

test('a file written last is found at the end, and after it', options, async () => {
  await using stage = openRealHarness();
  const quick = stage.supervisor.start({ command: 'sleep 0.3; echo x >made', background: true });

  const during = await waitFor(quick, { file: 'made', timeout });
  await quick.ended;
  const after = await waitFor(quick, { file: 'made', timeout });
  const other = await waitFor(quick, { file: 'other', timeout });

  expect([during.met, after.met]).toEqual([['file'], ['file']]);
  expect(other).toMatchObject({ end: { type: 'ended' }, missing: ['file'] });
});

test('a file of an earlier run is not taken for it', options, async () => {
  await using stage = openRealHarness();
  const path = `${stage.directory}/made`;
  writeFileSync(path, '');
  await waitUntil(() => Date.now() - statSync(path).ctimeMs > 100);
  const idle = stage.supervisor.start({ command: ['sleep', '100'], background: true });

  const stale = await waitFor(idle, { file: path, timeout: '400ms' });
  const waiting = waitFor(idle, { file: path, timeout });
  utimesSync(path, new Date(), new Date());

  expect(stale.end.type).toBe('timeout');
  expect((await waiting).met).toEqual(['file']);
});

test('input is waited for until it is asked for', options, async () => {
  await using stage = openRealHarness();
  const command = 'until [ -e go ]; do sleep 0.1; done; read x; echo "<$x>"; sleep 100';
  const asking = stage.supervisor.start({ command, stdin: 'pipe', background: true });

  const early = await waitFor(asking, { input: true, timeout: '500ms' });
  const waiting = waitFor(asking, { input: true, timeout });
  writeFileSync(`${stage.directory}/go`, '');
  const waited = await waiting;
  await asking.writeLine('hello');
  const answered = await waitFor(asking, { text: '<hello>', timeout });

  expect(early.end.type).toBe('timeout');
  expect(waited.process.awaitsInput).toMatchObject({ kind: 'line', certainty: 'known' });
  expect(answered.matchedLine).toBe('<hello>');
});

function serve(port: number, { afterMs = 0 } = {}): [string, ...string[]] {
  const listen = `require("http").createServer((q, a) => a.end("x")).listen(${port}, "127.0.0.1")`;
  return [process.execPath, '-e', `setTimeout(() => ${listen}, ${afterMs})`];
}
