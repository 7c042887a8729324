import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';

let cwd = '';
let mock: LLMock;
/** The results of calls and the notices that each request to the model holds. */
let seen: (readonly [number, number])[] = [];

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  mock = new LLMock({ port: 0, logLevel: 'silent' });
  seen = [];
  await mock.start();
});

afterEach(async () => {
  await mock.stop();
  rmSync(cwd, { recursive: true });
});

const resultsOf = ({ messages }: ChatCompletionRequest) =>
  messages.filter(({ role }) => role === 'tool').length;
const noticesOf = ({ messages }: ChatCompletionRequest) =>
  JSON.stringify(messages).match(/<process_notice/g)?.length ?? 0;

/** Replies once a request holds that many results and messages of the user, notices included. */
function reply(results: number, users: number, response: Parameters<LLMock['on']>[1]) {
  mock.on(
    {
      predicate: (request) => {
        const said = request.messages.filter(({ role }) => role === 'user').length;
        if (resultsOf(request) !== results || said !== users) return false;
        seen.push([resultsOf(request), noticesOf(request)]);
        return true;
      },
    },
    response,
  );
}

const run = (program: string, ...args: readonly string[]) =>
  execa(process.execPath, [join(import.meta.dirname, program), ...args], {
    cwd,
    env: { OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: 'none' },
    reject: false,
  });

const call = (name: string, input: object) => ({ toolCalls: [{ name, arguments: JSON.stringify(input) }] });

test('the example tells a background end once, at the next step, and keeps it for the next run', async () => {
  reply(0, 1, call('start_process', { command: 'sleep 0.3; exit 3', label: 'build' }));
  reply(1, 1, call('run_command', { command: 'sleep 1; echo tested' }));
  reply(2, 2, { content: 'The build failed.' });
  reply(2, 3, { content: 'As I said.' });

  const { stdout, stderr } = await run('example.ts', 'Build.', 'And?');

  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual(['The build failed.', 'As I said.']);
  expect(seen).toEqual([
    [0, 0],
    [1, 0],
    [2, 1],
    [2, 1],
  ]);
});

test('the example continues a run whose process ends during the last reply', async () => {
  reply(0, 1, call('start_process', { command: 'sleep 0.3', label: 'build' }));
  // Longer than the process takes.
  reply(1, 1, async () => {
    await setTimeout(1_500);
    return { content: 'It runs.' };
  });
  reply(1, 2, { content: 'It is built.' });

  const { stdout } = await run('example.ts', 'Build.');

  expect(stdout).toBe('It is built.');
  expect(seen.at(-1)).toEqual([1, 1]);
});

test('a notice comes again after a crash before its delivery, and once only', async () => {
  const crashed = await run('crash.ts', 'die');
  const [second, third] = [await run('crash.ts', 'report'), await run('crash.ts', 'report')];

  expect(crashed.signal).toBe('SIGKILL');
  expect(second.stdout.match(/<process_notice|label=\\"build\\"/g)).toHaveLength(2);
  expect(third.stdout).toBe('[]');
});
