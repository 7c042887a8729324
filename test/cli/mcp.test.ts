import { expect, test } from 'vitest';
import { callProgram } from './call-program.ts';
import { projectDir, runProgram } from './program.ts';

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const listTools = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

test.each([
  ['process', 'run_command'],
  ['bg', 'bg_start'],
  ['bg, background_process', 'background_process'],
])('the set %s is served until the client goes', async (set, tool) => {
  await using at = projectDir();
  const input = `${initialize}\n${initialized}\n${listTools}\n`;

  const ran = await runProgram(['mcp', '--tools', set], { cwd: at.path, env: at.env, input });

  const answers = ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(answers[0]).toMatchObject({
    id: 1,
    result: { serverInfo: { name: expect.stringContaining('troupe') } },
  });
  expect(answers[1].result.tools.map(({ name }: { name: string }) => name)).toContain(tool);
  await at.gone();
});

test.each([
  [['--http', 'not an address'], 'The address "not an address" is not valid'],
  [['--http', '0.0.0.0:0'], 'Other machines can reach 0.0.0.0'],
  [['--tools', 'proces'], 'Did you mean process?'],
  [['--secret', 'npm=hunter2'], 'expected npm=env:VARIABLE'],
])('%j is a usage error', async (args, problem) => {
  await using at = projectDir();

  const ran = await callProgram(['mcp', ...args], { cwd: at.path });

  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(problem) });
});
