import { mkdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { createMcpServer } from '../../src/mcp/create-mcp-server.ts';
import type { Supervisor } from '../../src/supervisor/supervisor.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';
import { arrange, dataOf, type Era, eras, speaking } from './arrange.ts';

/** A supervisor that several clients come to, one after the other or at once. */
function arrangeClients() {
  const { supervisor } = createVirtualHarness({
    script: (run) => {
      run.comeUp();
      run.print('made\n');
      run.exit({ code: 0 });
    },
  });
  const closes: (() => Promise<void>)[] = [];
  return {
    supervisor,
    connect: async (era: Era, { name = 'Claude Code', owner }: { name?: string; owner?: string } = {}) => {
      const server = createMcpServer({ supervisor, ...(owner !== undefined && { owner }) });
      const [near, far] = InMemoryTransport.createLinkedPair();
      const served = server.serve(far);
      const client = new Client({ name, version: '1' }, speaking(era));
      await client.connect(near);
      const leave = async () => {
        await client.close();
        await served;
        await server.close();
      };
      closes.push(leave);
      return { client, server, leave };
    },
    [Symbol.asyncDispose]: async () => {
      for (const close of closes) await close();
      await supervisor.shutdown();
    },
  };
}

const run = { name: 'run_command', arguments: { command: 'make' } };
const list = { name: 'list_processes', arguments: { include_completed: true } };

test.for(eras)('an owner is named by its client and its session (%s)', async (era) => {
  await using given = arrangeClients();
  const { client, server } = await given.connect(era);
  const before = server.owner;

  await client.callTool(run);

  expect(before).toBeNull();
  expect(server.owner).toMatch(/^mcp-Claude-Code-[a-z0-9]{8}$/);
  expect(given.supervisor.list()).toMatchObject([{ owner: server.owner }]);
});

test.for(eras)('a session sees nothing of another one (%s)', async (era) => {
  await using given = arrangeClients();
  const [first, beside] = [await given.connect(era), await given.connect(era)];
  await first.client.callTool({ name: 'start_process', arguments: { command: 'make' } });
  const [{ id } = { id: '' }] = given.supervisor.list();
  const seenBeside = await beside.client.callTool(list);
  await first.leave();

  const { client } = await given.connect(era);
  const seenLater = await client.callTool(list);

  for (const result of [seenBeside, seenLater]) {
    expect(dataOf(result)).toEqual({ ok: true, data: { processes: [] } });
    expect(result.content.length).toBe(1);
  }
  expect((await client.listResources()).resources).toEqual([]);
  expect(
    dataOf(await client.callTool({ name: 'get_process_output', arguments: { process_id: id } })),
  ).toMatchObject({
    ok: false,
  });
  await expect(client.readResource({ uri: `process://${id}/log` })).rejects.toThrow(
    'There are no processes.',
  );
});

test.for(eras)('a session with the owner of an earlier one sees what that left (%s)', async (era) => {
  await using given = arrangeClients();
  const first = await given.connect(era, { owner: 'editor' });
  await first.client.callTool(run);
  await first.leave();

  const { client } = await given.connect(era, { owner: 'editor' });

  expect(dataOf(await client.callTool(list))).toMatchObject({ data: { processes: [{ command: 'make' }] } });
});

/** A client with roots; what it is asked for comes after its answer. */
async function arrangeRoots(era: Era, roots: readonly string[] | Error) {
  const asked: string[] = [];
  const supervisors: Supervisor[] = [];
  const given = await arrange({
    era,
    wantsRoot: true,
    policy: { mode: 'auto', restrictToWorkspace: true },
    supervisor: ({ root }) => {
      const { supervisor } = createVirtualHarness({
        script: (run) => {
          run.comeUp();
          run.exit({ code: 0 });
        },
        ...(root !== null && { cwd: root }),
      });
      supervisors.push(supervisor);
      return supervisor;
    },
    capabilities: { roots: {} },
    prepare: (client) =>
      client.setRequestHandler('roots/list', () => {
        asked.push('roots');
        if (roots instanceof Error) throw roots;
        return { roots: roots.map((uri) => ({ uri })) };
      }),
  });
  return {
    asked,
    call: async (command: string) =>
      dataOf(await given.client.callTool({ name: 'run_command', arguments: { command } })),
    get cwd() {
      return supervisors[0]?.cwd;
    },
    [Symbol.asyncDispose]: async () => {
      await given[Symbol.asyncDispose]();
      for (const each of supervisors) await each.shutdown();
    },
  };
}

test.for(eras)("commands run in the client's first root (%s)", async (era) => {
  const place = tempDir();
  onTestFinished(place.remove);
  mkdirSync(place.file('project'));
  const project = place.file('project');
  const uris = ['file:///is/not/here', pathToFileURL(project).href];
  await using given = await arrangeRoots(era, uris);

  const inside = await given.call(`cat ${project}/file`);
  const outside = await given.call(`cat ${place.path}/file`);

  expect(given.cwd).toBe(project);
  expect(given.asked).toEqual(['roots']);
  // The workspace of the policy is there, too.
  expect([inside['ok'], outside['ok']]).toEqual([true, false]);
});

test.for(eras)('a client without roots works where the server was started (%s)', async (era) => {
  await using given = await arrangeRoots(era, []);

  expect(await given.call('make')).toMatchObject({ ok: true });
  expect(given.cwd).toBe(process.cwd());
});

test('a client with many first calls is asked for its roots once', async () => {
  await using given = await arrangeRoots('legacy', []);

  await Promise.all(['make a', 'make b', 'make c'].map((command) => given.call(command)));

  expect(given.asked).toEqual(['roots']);
});

test('a client that fails to list its roots is still served', async () => {
  await using given = await arrangeRoots('legacy', new Error('no roots'));

  expect(await given.call('make')).toMatchObject({ ok: true });
  expect(given.cwd).toBe(process.cwd());
});
