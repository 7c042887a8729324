import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { createFileSupervisorRegistry } from '../../../src/store/file-supervisor-registry.ts';
import { type Era, speaking } from '../../mcp/arrange.ts';
import { isAlive, waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';
import { cleanEnvironment, mainFile, runProgram } from '../program.ts';

/** A project whose daemon serves clients. */
function attachProject() {
  const project = daemonProject();
  const args = ['mcp', '--attach', '--policy-mode', 'dangerous'];
  const daemonPids = () =>
    createFileSupervisorRegistry({ directory: project.file('.troupe') })
      .list()
      .flatMap(({ entry, state }) => (state === 'alive' && entry.role === 'daemon' ? [entry.pid] : []));
  return {
    ...project,
    args,
    attach: async (era: Era) => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [mainFile, ...args],
        cwd: project.path,
        env: cleanEnvironment({ ...project.env, TROUPE_TEST_API_KEY: 'hunter2', TROUPE_TEST_PLAIN: 'plain' }),
        stderr: 'ignore',
      });
      const client = new Client({ name: 'test', version: '1' }, speaking(era));
      await client.connect(transport);
      return {
        call: async (name: string, input: object = {}) => {
          const { structuredContent } = await client.callTool({ name, arguments: { ...input } });
          // biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows to be there.
          return structuredContent as any;
        },
        close: () => client.close(),
      };
    },
    killDaemon: async () => {
      const pids = daemonPids();
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await waitUntil(() => daemonPids().length === 0, { what: 'the daemon is gone' });
      return pids.length;
    },
  };
}

test('an attached client finds what ended while none was connected, once, under another daemon too', async () => {
  await using project = attachProject();
  const first = await project.attach('legacy');
  const command = 'until [ -e go ]; do sleep 0.1; done; echo "$TROUPE_TEST_PLAIN $TROUPE_TEST_API_KEY."';
  const { data } = await first.call('start_process', { command });
  const { pid } = (await first.call('check_process', { process_id: data.process_id })).data;
  await first.close();

  const aliveWithoutClient = isAlive(pid);
  writeFileSync(project.file('go'), '');
  await waitUntil(() => !isAlive(pid), { what: 'the process has ended' });
  const daemons = await project.killDaemon();
  const second = await project.attach('modern');
  const [told, again] = [await second.call('list_processes'), await second.call('list_processes')];
  const read = await second.call('get_process_output', { process_id: data.process_id });
  await second.close();

  expect({ aliveWithoutClient, daemons }).toEqual({ aliveWithoutClient: true, daemons: 1 });
  expect(told.notice).toContain(data.process_id);
  expect(again.notice).toBeUndefined();
  expect(read.data.output).toBe('plain .\n');
});

test('a second client of the same name is refused', async () => {
  await using project = attachProject();
  const client = await project.attach('legacy');

  const ran = await runProgram(project.args, { cwd: project.path, env: project.env, input: '' });
  await client.close();

  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('with --owner') });
});

test.each([['--http'], ['--secret', 'npm=env:NPM'], ['--max-background', '3']])(
  '%s is refused with --attach',
  async (...args) => {
    await using project = attachProject();

    const ran = await project.call(...project.args, ...args);

    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be used with --attach') });
  },
);
