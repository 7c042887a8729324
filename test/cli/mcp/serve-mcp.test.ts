import { expect, onTestFinished, test } from 'vitest';
import { serveMcp } from '../../../src/cli/mcp/serve-mcp.ts';
import { tempDir, waitUntil } from '../../fixtures/os.ts';
import { fakeIo } from '../fake-io.ts';

/** A server in this program, and what a client says to it line by line. */
function openServer(secret: readonly string[]) {
  const place = tempDir();
  const fake = fakeIo();
  const served = serveMcp({
    flags: { tools: 'process', policyMode: 'dangerous', secret },
    io: { ...fake.io, cwd: place.path },
  });
  const send = (message: object) => fake.type(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let asked = 0;
  const ask = async (method: string, params: object) => {
    asked += 1;
    const id = asked;
    send({ id, method, params });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows to be there.
    const findAnswer = (): any =>
      fake
        .stdout()
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line))
        .find((answer) => answer.id === id);
    return (await waitUntil(findAnswer)).result;
  };
  return {
    ask,
    send,
    call: async (name: string, input: object) =>
      (await ask('tools/call', { name, arguments: input })).structuredContent,
    stdout: fake.stdout,
    [Symbol.asyncDispose]: async () => {
      fake.endInput();
      await served;
      place.remove();
    },
  };
}

test('a secret is typed by its name, and stands in no answer', async () => {
  process.env['TROUPE_TEST_KEY'] = 'hunter2hunter2';
  onTestFinished(() => {
    delete process.env['TROUPE_TEST_KEY'];
  });
  await using server = openServer(['npm=env:TROUPE_TEST_KEY']);
  const clientInfo = { name: 'test', version: '1' };
  await server.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  server.send({ method: 'notifications/initialized' });
  const command = 'read line; test "$line" = hunter2hunter2 && echo "same: $line"';
  const { data } = await server.call('start_process', {
    command: `${command} $TROUPE_TEST_KEY.`,
    stdin: true,
  });
  const { process_id } = data;

  const written = await server.call('write_process', { process_id, secret: 'npm' });
  await server.call('wait_for', { process_id });
  const read = await server.call('get_process_output', { process_id });

  expect(written).toMatchObject({ ok: true });
  expect(read.data.output).toMatch(/^same: \S*[^\w]* \.\n$/);
  expect(read.data.output).not.toContain('hunter2');
});
