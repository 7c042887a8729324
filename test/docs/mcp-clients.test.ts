import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { mainFile } from '../cli/program.ts';
import { tempDir } from '../support/os.ts';

interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/guides/mcp.md'), 'utf8');
/** The configurations in the guide, each with the name of its client before it. */
const servers = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(({ 1: text = '', index }) => {
  const { mcpServers, servers } = JSON.parse(text) as Record<string, { troupe: Server }>;
  const client = [...guide.slice(0, index).matchAll(/^\*\*(.+?)\*\*:/gm)].at(-1)?.[1] ?? '';
  return {
    client,
    list: mcpServers === undefined ? 'servers' : 'mcpServers',
    ...(mcpServers ?? servers)?.troupe,
  };
});
const isFromClone = ({ command = '' }: Partial<Server>) => command.endsWith('/node');

test.for(servers.filter(isFromClone).map((server) => [server.client, server] as const))(
  'the configuration for %s starts a server in the project',
  { timeout: 120_000 },
  async ([, { args = [] }]) => {
    using folder = tempDir();
    const own = args.map((arg) =>
      arg
        .replace('/home/you/troupe/dist/src/cli/main.js', mainFile)
        .replace(/^(\/home\/you\/project|\$\{workspaceFolder\})$/, folder.path),
    );
    // A client gives neither a working directory nor the PATH of a shell.
    const transport = new StdioClientTransport({ command: process.execPath, args: own, cwd: '/', env: {} });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);

    const { structuredContent } = await client.callTool({
      name: 'run_command',
      arguments: { command: 'pwd' },
    });
    await client.close();

    expect(structuredContent).toMatchObject({ ok: true, data: { output: `${folder.path}\n` } });
  },
);

test('each client has its list of servers', () => {
  const lists = servers.filter(isFromClone).map(({ client, list }) => [client, list]);

  expect(lists).toEqual([
    ['Claude Desktop', 'mcpServers'],
    ['Claude Code', 'mcpServers'],
    ['Cursor', 'mcpServers'],
    ['VS Code', 'servers'],
  ]);
});

test('a configuration that uses the registry pins this version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const mentioned = [...guide.matchAll(/troupe@([\w.^~-]+)/g)].map(([, each]) => each);

  expect(mentioned.length).toBeGreaterThan(0);
  expect(new Set(mentioned)).toEqual(new Set([version]));
  expect(guide).not.toMatch(/"npx"|npx troupe mcp/);
});
