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

test.each([
  ['bun', 'Bun 9.9.9'],
  ['deno', 'Deno 9.9.9'],
])('a supervisor is refused with an explanation on %s', (runtime, name) => {
  const script = `const { createSupervisor } = await import(${JSON.stringify(source('index.ts'))});
    try { createSupervisor({ stateDirectory: false }); } catch (error) { console.log(error.code, error.message); }`;

  const { stdout } = runAs(runtime, ['--input-type=module', '-e', script]);

  expect(stdout).toContain('unsupported-platform');
  expect(stdout).toContain(`this is ${name}`);
});

test.each([
  ['bun', 'Bun 9.9.9'],
  ['deno', 'Deno 9.9.9'],
])('the command line is refused with an explanation on %s', (runtime, name) => {
  const { status, stderr } = runAs(runtime, [source('cli/main.ts'), 'run', '--', 'true']);

  expect(status).toBe(125);
  expect(stderr).toBe(`troupe runs on Node, and this is ${name}. Start it with node.\n`);
});
