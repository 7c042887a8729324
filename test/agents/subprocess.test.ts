import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ScriptedStep } from '../../src/models/scripted-model.ts';
import { waitUntil } from '../support/os.ts';
import { delegate, openDelegation } from './delegation-rig.ts';

/** A shell script in place of the troupe CLI: the CLI's arguments follow as its own. */
const shell = (script: string) => ['/bin/sh', '-c', script] as const;
const outside = (task: string, more = {}): ScriptedStep => delegate(task, { mode: 'subprocess', ...more });

async function delegateTo(
  script: string,
  more: { steps?: readonly ScriptedStep[]; lead?: string; env?: Record<string, string> } = {},
) {
  const given = await openDelegation({
    steps: more.steps ?? [
      outside('the secret plan', { context: 'the port is 8080' }),
      { text: 'done' },
      { text: 'woken' },
    ],
    delegates: { coder: [] },
    ...(more.lead !== undefined && { lead: more.lead }),
    agent: { execCommand: shell(script), ...(more.env !== undefined && { env: more.env }) },
  });
  await given.conversation.say('go');
  return given;
}

test('the answer is the envelope on stdout', async () => {
  await using given = await delegateTo('echo noise >&2; echo \'{"ok": true, "data": "five"}\'');

  expect(given.answers()).toEqual([{ ok: true, data: 'five' }]);
});

test('a delegate that says no is believed', async () => {
  await using given = await delegateTo('echo \'{"ok": false, "error": "no disk"}\'; exit 1');

  expect(given.answers()).toEqual([{ ok: false, error: 'no disk' }]);
});

test.each([
  ['crashes', 'echo oops >&2; kill -9 $$', /gave no answer: it was ended by SIGKILL.*\n.*oops/s],
  ['exits with a code', 'echo oops >&2; exit 3', /gave no answer: it exited with code 3\.\noops/],
  ['says what is no answer', 'echo hello', /gave no answer: it exited with code 0/],
  ['says another JSON', 'echo "[1]"', /gave no answer/],
])('a delegate that %s is an answer', async (_, script, expected) => {
  await using given = await delegateTo(script);

  expect(given.answers()).toEqual([{ ok: false, error: expect.stringMatching(expected) }]);
  expect(given.conversation.status).toBe('idle');
});

test('a program that is not there is an answer', async () => {
  await using given = await openDelegation({
    steps: [outside('go'), { text: 'done' }],
    delegates: { coder: [] },
    agent: { execCommand: ['/nowhere/troupe'] },
  });

  await given.conversation.say('go');

  expect(given.answers()).toEqual([{ ok: false, error: expect.stringContaining('gave no answer') }]);
});

test('task and context go by stdin only', async () => {
  await using given = await delegateTo(
    'cat > told; printf "%s\\n" "$0" "$@" > words; echo \'{"ok": true, "data": ""}\'',
  );

  const told = JSON.parse(readFileSync(`${given.directory}/told`, 'utf8'));
  const words = readFileSync(`${given.directory}/words`, 'utf8').split('\n');
  expect(told).toEqual({
    task: 'the secret plan',
    context: { parent_agent: 'lead', parent_task: 'go', relevant_facts: ['the port is 8080'], depth: 1 },
  });
  expect(words).toEqual([
    'exec',
    'coder',
    '--output',
    'json',
    '--depth',
    '1',
    '--max-depth',
    '5',
    '--timeout',
    '0',
    '',
  ]);
  expect(given.supervisor.list()).toMatchObject([
    {
      kind: 'agent',
      tool: 'agent__coder',
      metadata: { agent: 'coder', task: 'the secret plan' },
      cwd: given.directory,
    },
  ]);
});

test('a megabyte of context arrives whole', async () => {
  const context = 'x'.repeat(1024 * 1024);
  await using given = await delegateTo('wc -c >&2; echo \'{"ok": true, "data": ""}\'', {
    steps: [outside('go', { context }), { text: 'done' }],
  });

  const [process] = given.supervisor.list();
  const counted = Number(given.supervisor.get(process?.id ?? '')?.read({ stream: 'stderr' }).text);
  expect(counted).toBeGreaterThan(context.length);
});

test('an answer beyond a reply is read whole', async () => {
  await using given = await delegateTo(
    'printf \'{"ok": true, "data": "\'; head -c 60000 /dev/zero | tr "\\0" x; printf \'"}\'',
  );

  const [answer] = given.answers();
  expect(answer.ok).toBe(true);
  expect(answer.data).toMatch(/^x{32767}…\n\[27233 more characters; the whole is the output of agent_\w+\]$/);
});

test('a long answer is cut between characters', async () => {
  await using given = await delegateTo(
    `${process.execPath} -e 'console.log(JSON.stringify({ ok: true, data: "x" + "😀".repeat(20000) }))'`,
  );

  const [answer] = given.answers();
  expect(answer.data.isWellFormed()).toBe(true);
  expect(answer.data).toContain('more characters');
});

test('a notice brings an answer of any length', async () => {
  await using given = await delegateTo(
    'printf \'{"ok": true, "data": "the answer \'; head -c 100000 /dev/zero | tr "\\0" x; printf \'"}\'',
    { steps: [outside('go', { background: true }), { text: 'I wait' }, { text: 'woken' }] },
  );

  await waitUntil(() => given.notices().length > 0);

  expect(given.notices()[0]).toContain('<answer>\nthe answer xxx');
});

test('a restarted delegate receives its task again', async () => {
  await using given = await delegateTo(
    'cat > told; [ -e once ] && { echo \'{"ok": true, "data": "five"}\'; exit; }; echo \'{"ok": false, "error": "cut short"}\'; touch once; exec sleep 600',
    { steps: [outside('go', { background: true }), { text: 'I wait' }, { text: 'woken' }] },
  );
  await waitUntil(() => existsSync(`${given.directory}/once`));

  const [{ id = '' } = {}] = given.supervisor.list();
  given.supervisor.get(id)?.restart('agent');
  await waitUntil(() => given.notices().length > 0);

  expect(given.notices()[0]).toContain('<answer>\nfive\n</answer>');
  expect(JSON.parse(readFileSync(`${given.directory}/told`, 'utf8'))).toMatchObject({ task: 'go' });
});

test('a delegate that never reads is still waited for', async () => {
  await using given = await delegateTo('echo \'{"ok": true, "data": "five"}\'', {
    steps: [outside('go', { context: 'x'.repeat(300_000) }), { text: 'done' }],
  });

  expect(given.answers()).toEqual([{ ok: true, data: 'five' }]);
});

test('the depth and its limit go along', async () => {
  await using given = await delegateTo(
    'echo "{\\"ok\\": true, \\"data\\": \\"$TROUPE_DEPTH of $TROUPE_MAX_DEPTH\\"}"',
    {
      lead: 'delegation: { max_depth: 3 }',
    },
  );

  expect(given.answers()).toEqual([{ ok: true, data: '1 of 3' }]);
});

test('only the keys that it needs go along, by the environment', async () => {
  const env = {
    OPENAI_API_KEY: 'key-of-the-coder',
    OTHER_API_KEY: 'key-of-another-provider',
    MY_API_KEY: 'key-of-a-friend',
  };
  await using given = await openDelegation({
    steps: [outside('go'), { text: 'done' }],
    delegates: { coder: [] },
    files: {
      coder: 'model: gpt-5\ndelegates: [friend]',
      friend:
        'model: { name: a, provider: mine, base_url: "http://127.0.0.1:1/v1", api_key_env: MY_API_KEY }',
    },
    agent: {
      execCommand: shell(
        'env | grep _API_KEY | cut -d= -f1 | sort > keys; env | grep -c key-[o]f > count; echo "{\\"ok\\": true, \\"data\\": \\"$OPENAI_API_KEY\\"}"',
      ),
      env,
    },
  });

  await given.conversation.say('go');

  expect(readFileSync(`${given.directory}/keys`, 'utf8')).toBe('MY_API_KEY\nOPENAI_API_KEY\n');
  expect(readFileSync(`${given.directory}/count`, 'utf8')).toBe('2\n');
  expect(given.answers()).toEqual([{ ok: true, data: '[redacted]' }]);
  expect(JSON.stringify(given.supervisor.list())).not.toContain('key-of');
});

test('a delegate in the background brings its answer by notice', async () => {
  await using given = await delegateTo(
    'until [ -e go ]; do sleep 0.1; done; echo \'{"ok": false, "error": "no disk"}\'; exit 1',
    {
      steps: [outside('go', { background: true }), { text: 'I wait' }, { text: 'woken' }],
    },
  );
  const [answer] = given.answers();

  given.write('go', '');
  await waitUntil(() => given.notices().length > 0);

  expect(answer).toMatchObject({ ok: true, data: { process_id: expect.stringMatching(/^agent_/) } });
  expect(given.notices()[0]).toContain('no disk');
});

test('a tool of that name may be held in the foreground or not', async () => {
  await using given = await delegateTo('sleep 600', { lead: 'tools: { modes: { "agent__*": background } }' });

  expect(given.answers()).toMatchObject([{ ok: true, data: { status: 'backgrounded' } }]);
});
