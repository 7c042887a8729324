import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mainFile } from '../cli/program.ts';
import { rootFolder } from '../house/source-imports.ts';
import { tempDir } from '../support/os.ts';
import { eras } from './arrange.ts';
import { serveByHttp } from './http-stage.ts';
import { inherited } from './stdio-client.ts';

const inspector = join(
  rootFolder,
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);
/** Two programs have to start before the first answer. */
const patient = ['--connect-timeout', '60000'];
const troupe = [process.execPath, mainFile, 'mcp'];

test.for(eras)(
  'the official inspector finds no fault in the tools (%s)',
  { timeout: 120_000 },
  async (era) => {
    const { code, result, stderr } = await inspect([...troupe, '--method', 'tools/list', '--strict'], era);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((result as { tools: unknown[] }).tools.length).toBeGreaterThanOrEqual(6);
  },
);

test.for(eras)('the official inspector calls a tool (%s)', { timeout: 120_000 }, async (era) => {
  const { code, result } = await inspect(
    [...troupe, '--method', 'tools/call', '--tool-name', 'run_command', '--tool-arg', 'command=echo hello'],
    era,
  );

  expect(code).toBe(0);
  expect(result).toMatchObject({ structuredContent: { ok: true, data: { output: 'hello\n' } } });
});

test.for(eras)(
  'the official inspector reads by HTTP what a client started (%s)',
  { timeout: 120_000 },
  async (era) => {
    await using server = await serveByHttp();
    const { client } = await server.connect('modern');
    await client.callTool({ name: 'run_command', arguments: { command: 'echo hello' } });
    const [, log] = (await client.listResources()).resources;

    // In the older era the inspector is another client, which sees nothing of the first one.
    const read = await inspect([server.url, '--method', 'resources/read', '--uri', log?.uri ?? ''], era);
    const list = await inspect([server.url, '--method', 'resources/list'], era);

    if (era === 'modern')
      expect(read.result).toMatchObject({ contents: [{ uri: log?.uri, text: 'hello\n' }] });
    else expect({ code: read.code, list: list.result }).toEqual({ code: 1, list: { resources: [] } });
  },
);

/** One run of the inspector's command line, with a home of its own. */
async function inspect(args: readonly string[], era: (typeof eras)[number]) {
  using home = tempDir();
  const child = spawn(
    process.execPath,
    [inspector, '--cli', ...args, '--protocol-era', era, ...patient, '--format', 'json', '--quiet'],
    { cwd: home.path, env: { ...inherited(), HOME: home.path }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  const { result } = JSON.parse(stdout || '{}') as { result?: unknown };
  return { code, result, stderr };
}
