import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** Runs a program in a Node that says it were another runtime. */
function runAs(runtime: string, args: readonly string[]) {
  const change = `Object.defineProperty(process, 'versions', { value: { ...process.versions, ${runtime}: '9.9.9' } })`;
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${change}`, ...args], {
    encoding: 'utf8',
  });
}

test.each(['bun', 'deno'])('a command has pipes of the runtime itself on %s', (runtime) => {
  const script = `const { createSupervisor } = await import(${JSON.stringify(source('index.ts'))});
    const supervisor = createSupervisor({ stateDirectory: false });
    const command = 'readlink /proc/$$/fd/0 /proc/$$/fd/1; cat';
    const handle = supervisor.start({ command, input: 'typed' });
    await handle.ended;
    console.log(handle.read({ format: 'raw' }).text);
    await supervisor.shutdown();`;

  const { stdout } = runAs(runtime, ['--input-type=module', '-e', script]);

  // Those of Node are sockets.
  expect(stdout).toMatch(/^socket:\S+\nsocket:\S+\ntyped\n$/);
});

test.each([
  ['bun', 'Bun'],
  ['deno', 'Deno'],
])('a terminal without tmux is refused with an explanation on %s', (runtime, name) => {
  const script = `const { createSupervisor } = await import(${JSON.stringify(source('index.ts'))});
    const supervisor = createSupervisor({ stateDirectory: false, terminal: 'pty' });
    const handle = supervisor.start({ command: ['cat'], interactive: true });
    console.log(JSON.stringify(handle.view().terminal));
    await supervisor.shutdown();`;

  const { stdout } = runAs(runtime, ['--input-type=module', '-e', script]);

  expect(JSON.parse(stdout)).toMatchObject({
    type: 'none',
    because: expect.stringContaining(`${name} cannot read`),
  });
});

test('a worker thread is refused with an explanation on deno', () => {
  const script = `const { createSupervisor } = await import(${JSON.stringify(source('index.ts'))});
    const supervisor = createSupervisor({ stateDirectory: false });
    const { status, reason } = await supervisor.start({ run: { worker: new URL('data:text/javascript,') } }).ended;
    console.log(JSON.stringify({ status, reason }));
    await supervisor.shutdown();`;

  const { stdout } = runAs('deno', ['--input-type=module', '-e', script]);

  const message = expect.stringMatching(/^Deno prints the output of a worker thread/);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', reason: { type: 'spawnFailed', message } });
});

test.each([
  ['bun', 'Bun 9.9.9'],
  ['deno', 'Deno 9.9.9'],
])('the command line is refused with an explanation on %s', (runtime, name) => {
  const { status, stderr } = runAs(runtime, [source('cli/main.ts'), 'run', '--', 'true']);

  expect(status).toBe(125);
  expect(stderr).toBe(`troupe runs on Node, and this is ${name}. Start it with node.\n`);
});
