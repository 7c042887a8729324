import { readFileSync } from 'node:fs';
import { filter, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProcessHandle } from '../../src/index.ts';
import { isAlive, stateOf, waitUntil } from '../support/os.ts';
import { openRealHarness, type RealHarness } from '../support/real.ts';

const withinMs = 30_000;
const timeout = 60_000;

const askInNode =
  'require("readline").createInterface({ input: process.stdin, output: process.stdout }).question("name? ", () => {})';

let stage: RealHarness;

beforeEach(() => {
  stage = openRealHarness({ stateDirectory: false, terminal: 'pty' });
});

afterEach(() => stage[Symbol.asyncDispose]());

describe('with a pipe', () => {
  test.each([
    ['a shell that reads', 'read x', null],
    ['a shell that asks', 'read -p "name? " x; echo', null],
    ['a prompt of Python', ['python3', '-c', 'input("name? ")'], 'name?'],
    ['cat', 'cat', null],
    ['a child of a child', 'bash -c "bash -c \'read x\'; true"; true', null],
    ['a program of Node', ['node', '-e', 'process.stdin.on("data", () => {})'], null],
  ] as const)('%s waits for a line', { timeout }, async (_who, command, prompt) => {
    const asking = start(command, { stdin: 'pipe' });

    const awaited = await waitUntil(() => known(asking, { hasPrompt: prompt !== null }), { withinMs });

    expect(awaited).toMatchObject({ kind: 'line', certainty: 'known', prompt });
  });

  test.each([
    ['that sleeps', 'sleep 100'],
    ['that reads from elsewhere', 'x=$(sleep 100)'],
    ['that asked and works', 'echo "Continue?"; printf "Sure? "; sleep 100'],
    ['whose input is at its end', 'cat; sleep 100'],
    ['that serves', ['node', '-e', 'require("http").createServer().listen(0)']],
  ] as const)('a program %s waits for nothing', { timeout }, async (_what, command) => {
    const busy = start(command, { stdin: 'pipe' });
    if (command === 'cat; sleep 100') await busy.endInput();

    await untilAsleep(busy);

    expect(await busy.awaitedInput()).toBeNull();
    expect(busy.view().awaitsInput).toBeNull();
  });

  test('written input is what a program waited for', { timeout }, async () => {
    const asking = start('read x; read y; echo "$x $y"; sleep 100', { stdin: 'pipe' });
    const first = await waitUntil(() => asking.view().awaitsInput, { withinMs });

    const written = asking.writeLine('a');
    const whileWritten = asking.view().awaitsInput;
    await written;
    const second = await waitUntil(() => asking.view().awaitsInput, { withinMs });
    await asking.writeLine('b');
    await waitUntil(() => asking.read().text === 'a b\n', { withinMs });

    expect([first.kind, whileWritten, second.kind]).toEqual(['line', null, 'line']);
    expect(second.since).toBeGreaterThan(first.since);
    expect(asking.view().awaitsInput).toBeNull();
  });

  test('each change is published to the followers of the view', { timeout }, async () => {
    const asking = start('read x; exit 3', { stdin: 'pipe' });
    const seen: unknown[] = [];
    asking.view$.subscribe((view) => seen.push(view.awaitsInput?.kind ?? null));

    await firstValueFrom(asking.view$.pipe(filter((view) => view.awaitsInput !== null)));
    await asking.writeLine('');
    await asking.ended;

    expect(seen.filter((kind, index) => kind !== seen[index - 1])).toEqual([null, 'line', null]);
    expect(asking.timeline().map(({ type }) => type)).toEqual([
      'process.created',
      'process.started',
      'process.ended',
    ]);
  });
});

test('a program without input waits for none', { timeout }, async () => {
  const deaf = start('read x </dev/null; printf "name? "; sleep 100', {});

  await waitUntil(() => deaf.read().text !== '', { withinMs });

  expect(deaf.takesInput).toBe(false);
  expect(await deaf.awaitedInput()).toBeNull();
});

describe('in a terminal', () => {
  test.each([
    ['the prompt of a shell', ['bash', '--norc', '--noprofile', '-i'], 'key', /[$#]$/],
    ['a line of a shell', 'read x', 'line', null],
    ['a secret of a shell', 'read -s -p "Token: " x', 'secret', /^Token:$/],
    [
      'a secret beside other input',
      'exec </dev/null; stty -echo </dev/tty; printf "Password: "; read x </dev/tty',
      'secret',
      /^Password:$/,
    ],
    ['a passphrase', 'ssh-keygen -q -t ed25519 -f key', 'secret', /^Enter passphrase/],
    ['Python', ['python3', '-i'], 'key', /^>>>$/],
    ['a question of Python', ['python3', '-c', 'input("name? ")'], 'line', /^name\?$/],
    ['cat', 'cat', 'line', null],
    ['less', 'seq 1000 >numbers; less numbers', 'key', null],
    ['vim', 'vim -u NONE -n text', 'key', null],
    ['a question of Node', ['node', '-e', askInNode], 'key', /^name\?$/],
  ] as const)('%s is waited for', { timeout }, async (_what, command, kind, prompt) => {
    const asking = start(command, { interactive: true });

    const awaited = await waitUntil(() => known(asking, { hasPrompt: prompt !== null }), { withinMs });

    expect(awaited.kind).toBe(kind);
    if (prompt === null) expect(awaited.prompt).toBeNull();
    else expect(awaited.prompt).toMatch(prompt);
  });

  test.each([
    ['sleeps', 'sleep 100'],
    ['asked on a line of its own and works', 'echo "Continue?"; sleep 100'],
    ['serves', ['node', '-e', 'require("http").createServer().listen(0)']],
    ['computes', ['python3', '-c', 'print("Continue?")\nwhile 1: pass']],
  ] as const)('a program that %s waits for no input', { timeout }, async (_what, command) => {
    const busy = start(command, { interactive: true });

    if (Array.isArray(command) && command[0] === 'python3')
      await waitUntil(() => busy.read().text.includes('Continue?'), { withinMs });
    else await untilAsleep(busy);

    expect(await busy.awaitedInput()).toBeNull();
    expect(busy.view().awaitsInput).toBeNull();
  });

  test('keys are what it waited for', { timeout }, async () => {
    const asking = start('read -p "first: " x; read -s -p "second: " y; sleep 100', { interactive: true });
    const first = await waitUntil(() => known(asking, { hasPrompt: true }), { withinMs });

    await asking.sendKeys({ text: 'a', pressEnter: true });
    const second = await waitUntil(() => secretOf(asking), { withinMs });
    await asking.sendKeys({ text: 'hunter2', pressEnter: true });
    await waitUntil(() => nameOf(asking) === 'sleep', { withinMs });

    expect([first.kind, first.prompt]).toEqual(['line', 'first:']);
    expect([second.kind, second.prompt]).toEqual(['secret', 'second:']);
    expect(await asking.awaitedInput()).toBeNull();
  });
});

function start(
  command: string | readonly string[],
  more: { stdin?: 'pipe'; interactive?: boolean },
): ProcessHandle {
  const given = typeof command === 'string' ? command : ([...command] as [string, ...string[]]);
  return stage.supervisor.start({ command: given, background: true, ...more });
}

/** On a slow machine the wait is seen before the prompt has come. */
function known(handle: ProcessHandle, { hasPrompt }: { hasPrompt: boolean }) {
  const { awaitsInput } = handle.view();
  if (awaitsInput?.certainty !== 'known') return null;
  return hasPrompt && awaitsInput.prompt === null ? null : awaitsInput;
}

function secretOf(handle: ProcessHandle) {
  const awaited = known(handle, { hasPrompt: true });
  return awaited?.kind === 'secret' ? awaited : null;
}

/** All of its tree sleep, and for longer than it takes to come up. */
async function untilAsleep(handle: ProcessHandle): Promise<void> {
  let quiet = 0;
  await waitUntil(
    async () => {
      quiet = (await isAsleep(handle)) ? quiet + 1 : 0;
      return quiet > 50;
    },
    { withinMs },
  );
}

async function isAsleep(handle: ProcessHandle): Promise<boolean> {
  const members = await handle.members();
  return members.length > 0 && members.every(({ pid }) => isAlive(pid) && stateOf(pid) === 'S');
}

/** A shell that has only one command left becomes it. */
function nameOf(handle: ProcessHandle): string {
  const view = handle.view();
  return 'pid' in view ? readFileSync(`/proc/${view.pid}/comm`, 'utf8').trim() : '';
}
