import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSupervisor, type SupervisorOptions } from '../../src/index.ts';
import type { AwaitedInput } from '../../src/process/process-view.ts';
import { createSecretResolver } from '../../src/secrets/secret-resolver.ts';
import { type SecretRecipient, writeSecret } from '../../src/secrets/write-secret.ts';
import { createScriptedBackend, createVirtualClock, type Script } from '../../src/testing/index.ts';
import { waitUntil } from '../support/os.ts';
import { arrange, value } from './secret-arrange.ts';

afterEach(() => vi.unstubAllEnvs());

function arrangeScripted(script?: Script, options: SupervisorOptions = {}) {
  const backend = createScriptedBackend(script, { terminal: true });
  return { ...arrange({ backend, clock: createVirtualClock(), ...options }), backend };
}

test('a secret that a process repeats is shown nowhere', async () => {
  await using given = arrange();
  const echo =
    'read -r line; printf "got "; echo "$line" | cut -c1-10 | tr -d "\\n"; sleep 0.1; echo "$line" | cut -c11-; echo end';
  const handle = given.supervisor.start({ command: echo, stdin: 'pipe', background: true });

  const result = await handle.writeSecret('token');
  await handle.ended;

  const everything = await given.everything(handle);
  expect(result).toEqual({ ok: true, bytesWritten: value.length + 1 });
  expect(handle.read().text).toBe('got [redacted]\nend\n');
  expect(everything).toContain('got [redacted]');
  expect(everything).not.toContain(value);
  expect(handle.timeline()).toContainEqual(
    expect.objectContaining({ type: 'process.secretWritten', detail: 'token' }),
  );
});

test('a secret can be written without a line break', async () => {
  await using given = arrange();
  const handle = given.supervisor.start({ command: 'wc -c', stdin: 'pipe', background: true });

  await handle.writeSecret('token', { pressEnter: false });
  await handle.endInput();
  await handle.ended;

  expect(handle.read().text.trim()).toBe(String(value.length));
});

test('a restarted process shows no secret either', async () => {
  await using given = arrangeScripted();
  const handle = given.supervisor.start({ command: 'login', stdin: 'pipe', background: true });
  await handle.writeSecret('token');

  handle.restart();
  await waitUntil(() => given.backend.runs.length === 2);
  given.backend.lastRun.print(`again ${value}\n`);

  expect(handle.read().text).toContain('again [redacted]');
});

test('a secret in a terminal is shown nowhere', async () => {
  await using given = arrangeScripted();
  const handle = given.supervisor.start({ command: 'login', interactive: true, background: true });
  const run = given.backend.lastRun;

  const result = await handle.writeSecret('token');
  run.print('Token: hunter2-\x1b[1m');
  run.print('secret\x1b[0m\r\n');
  run.screen = [`Token: ${value}`, 'Welcome'];
  const during = await handle.capture({ withDrawing: true });
  run.exit();
  await handle.ended;

  expect(result.ok).toBe(true);
  expect(run.pasted).toEqual([value]);
  expect(run.strokes).toMatchObject([{ type: 'key', key: 'Enter' }]);
  expect(during).toMatchObject({
    ok: true,
    drawing: null,
    screen: { lines: expect.arrayContaining(['Welcome']) },
  });
  expect(await given.everything(handle)).toContain('Token: [redacted]****');
  expect(await given.everything(handle)).not.toContain(value);
});

test('a drawing with a secret in the scrollback is withheld', async () => {
  await using given = arrangeScripted();
  const handle = given.supervisor.start({ command: 'login', interactive: true, background: true });
  await handle.writeSecret('token');
  const before = await handle.capture({ withDrawing: true });

  given.backend.lastRun.screen = ['hunter2-\x1b[0msecret'];
  const after = await handle.capture({ withDrawing: true });

  expect(before).toMatchObject({ drawing: expect.any(String) });
  expect(after).toMatchObject({ drawing: null });
});

test('a secret is hidden before it is written', async () => {
  await using given = arrangeScripted((run) => {
    run.comeUp();
    // Echoes at once, before the write is acknowledged.
    Object.defineProperty(run, 'input', { set: (text: string) => run.print(text), get: () => '' });
  });
  const handle = given.supervisor.start({ command: 'login', stdin: 'pipe', background: true });

  await handle.writeSecret('token');

  expect(handle.read().text).toContain('[redacted]');
  expect(handle.read().text).not.toContain('hunter2');
});

test('a process without input receives no secret', async () => {
  const askSecret = vi.fn(async () => value);
  await using given = arrangeScripted(undefined, { secrets: { token: { ask: 'Token?' } }, askSecret });
  const handle = given.supervisor.start({ command: 'serve', background: true });

  const refused = await handle.writeSecret('token');
  given.backend.lastRun.exit();
  const ended = await handle.writeSecret('token');

  expect(refused).toMatchObject({
    ok: false,
    code: 'noInput',
    error: expect.stringContaining('interactive: true'),
  });
  expect(ended).toMatchObject({ ok: false, code: 'notRunning' });
  expect(askSecret).not.toHaveBeenCalled();
});

test('an unknown secret lists the known ones', async () => {
  await using given = arrangeScripted();
  const handle = given.supervisor.start({ command: 'login', stdin: 'pipe', background: true });

  expect(await handle.writeSecret('tokem')).toMatchObject({
    code: 'invalid',
    error: 'There is no secret "tokem". Did you mean "token"? Known names: token.',
  });
});

test('an answer after an abort writes no secret', async () => {
  const asked = Promise.withResolvers<string>();
  const signals: AbortSignal[] = [];
  await using given = arrangeScripted(undefined, {
    secrets: { token: { ask: 'Token?' } },
    askSecret: (_, signal) => {
      signals.push(signal);
      return asked.promise;
    },
  });
  const handle = given.supervisor.start({ command: 'login', stdin: 'pipe', background: true });
  const stop = new AbortController();
  const pending = handle.writeSecret('token', { signal: stop.signal });
  await waitUntil(() => signals.length === 1);

  stop.abort();
  const wasTold = signals[0]?.aborted;
  asked.resolve(value);

  expect(await pending).toMatchObject({ ok: false, error: expect.stringContaining('not written') });
  expect(wasTold).toBe(true);
  expect(given.backend.lastRun.input).toBe('');
});

test.each(['the caller', 'the process'])('a source is abandoned when %s is gone', async (who) => {
  const asked = Promise.withResolvers<void>();
  const source = () => {
    asked.resolve();
    return new Promise<string>(() => {});
  };
  await using given = arrangeScripted(undefined, { secrets: { token: source } });
  const handle = given.supervisor.start({ command: 'login', stdin: 'pipe', background: true });
  const stop = new AbortController();
  const pending = handle.writeSecret('token', { signal: stop.signal });
  await asked.promise;

  if (who === 'the caller') stop.abort();
  else given.backend.lastRun.exit();

  expect(await pending).toMatchObject({ ok: false, code: who === 'the caller' ? 'invalid' : 'notRunning' });
  expect(given.backend.lastRun.input).toBe('');
});

test('a question is withdrawn when the process ends', async () => {
  const signals: AbortSignal[] = [];
  await using given = arrangeScripted(undefined, {
    secrets: { token: { ask: 'Token?' } },
    askSecret: (_, signal) => {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));
    },
  });
  const handle = given.supervisor.start({ command: 'login', stdin: 'pipe', background: true });
  const pending = handle.writeSecret('token');
  await waitUntil(() => signals.length === 1);

  given.backend.lastRun.exit();

  expect(await pending).toMatchObject({ ok: false, code: 'notRunning' });
});

test('a process that writes its own log receives no secret', async () => {
  await using given = arrange();
  const handle = given.supervisor.start({
    command: 'cat',
    stdin: 'pipe',
    lifetime: 'persistent',
    background: true,
  });
  await waitUntil(() => handle.status === 'backgrounded');

  const result = await handle.writeSecret('token');
  await handle.kill();

  expect(result).toMatchObject({
    ok: false,
    code: 'exposed',
    error: expect.stringContaining('lifetime "session"'),
  });
  expect(await given.everything(handle)).not.toContain(value);
});

describe('a terminal of a process that writes its own log', () => {
  const given = (awaited: Pick<AwaitedInput, 'kind' | 'certainty'> | null) => {
    const done = { ok: true, bytesWritten: 1 } as const;
    const written: string[] = [];
    const recipient: SecretRecipient = {
      id: 'tool_a',
      commandLine: 'login',
      hasTerminal: true,
      hasPipe: true,
      writesOwnLog: true,
      refuse: () => null,
      awaitedInput: async () => (awaited === null ? null : { ...awaited, prompt: 'Password:', since: 0 }),
      ended: new Promise(() => {}),
      hide: () => written.push('hidden'),
      write: async () => done,
      paste: async (_, { pressEnter }) => {
        written.push('pasted', ...(pressEnter ? ['entered'] : []));
        return done;
      },
      note: () => {},
    };
    const resolver = createSecretResolver({ sources: { token: () => value }, cwd: '/', ask: null });
    const order = { name: 'token', pressEnter: true, signal: null };
    return { written, result: writeSecret(order, { recipient, resolver }) };
  };

  test('receives a secret while it hides typing', async () => {
    const { written, result } = given({ kind: 'secret', certainty: 'known' });

    expect((await result).ok).toBe(true);
    expect(written).toEqual(['hidden', 'pasted', 'entered']);
  });

  test.for([
    [null, 'may show'],
    [{ kind: 'line', certainty: 'known' }, 'shows'],
    [{ kind: 'line', certainty: 'hint' }, 'may show'],
    [{ kind: 'secret', certainty: 'hint' }, 'may show'],
  ] as const)('receives no secret while it waits for %j', async ([awaited, shows]) => {
    const { written, result } = given(awaited);

    const error = expect.stringMatching(`: its terminal ${shows} what is typed[.].*is "pty"`);
    expect(await result).toMatchObject({ code: 'exposed', error });
    expect(written).toEqual([]);
  });
});

test('an exposed secret is refused before its name is resolved', async () => {
  await using given = arrange();
  const handle = given.supervisor.start({
    command: 'read -r line; sleep 100',
    stdin: 'pipe',
    lifetime: 'persistent',
    background: true,
  });
  await waitUntil(() => handle.status === 'backgrounded');

  const result = await handle.writeSecret('unknown');
  await handle.kill();

  expect(result).toMatchObject({ ok: false, code: 'exposed' });
});

test('no process inherits the variable of a secret', async () => {
  vi.stubEnv('TROUPE_TEST_TOKEN', value);
  await using given = arrange({ secrets: { token: { env: 'TROUPE_TEST_TOKEN' } } });
  const handle = given.supervisor.start({
    command: 'echo "[$TROUPE_TEST_TOKEN]"',
    background: true,
  });

  await handle.ended;

  expect(handle.read().text).toBe('[]\n');
});

test('a secret reaches the process unchanged', async () => {
  await using given = arrange();
  const command = `read -r line; test "$line" = "$(printf '%s%s' hunter2- secret)"`;
  const handle = given.supervisor.start({ command, stdin: 'pipe', background: true });

  await handle.writeSecret('token');

  expect(await handle.ended).toMatchObject({ exit: { code: 0 } });
});

test.for([
  [{ secrets: { 'a b': { env: 'A' } } }, /a name of letters/],
  [{ secrets: { token: { vault: 'x' } } }, /one of \{ env: "NPM_TOKEN" \}/],
  [{ secrets: { token: 'hunter2' } }, /^(?!.*hunter2)/],
] as const)('a supervisor refuses wrong sources at its creation (%#)', ([options, words]) => {
  expect(() => createSupervisor(options as never)).toThrow(words);
});

test.for([[undefined], [5], [{}]])('writeSecret refuses %j as a name', async ([name]) => {
  await using given = arrangeScripted();
  const handle = given.supervisor.start({ command: 'login', stdin: 'pipe', background: true });

  expect(() => handle.writeSecret(name as never)).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: expect.stringMatching(/"name" is .*; expected the name of a secret/),
    }),
  );
});

/** Recipient without a place for a secret, unless a test gives it one. */
function toRecipient(more: Partial<SecretRecipient> = {}) {
  const done: string[] = [];
  const ok = { ok: true, bytesWritten: 1 } as const;
  const recipient: SecretRecipient = {
    ...{ id: 'tool_a', commandLine: 'login', hasTerminal: false, hasPipe: true, writesOwnLog: false },
    ...{ refuse: () => null, awaitedInput: async () => null, ended: new Promise(() => {}) },
    hide: (secret) => void done.push(`hide ${secret}`),
    write: async (text) => {
      done.push(`write ${JSON.stringify(text)}`);
      return ok;
    },
    paste: async (text, { pressEnter }) => {
      done.push(`paste ${text} ${pressEnter}`);
      return ok;
    },
    note: (name) => void done.push(`note ${name}`),
    ...more,
  };
  const resolver = createSecretResolver({ sources: { token: () => value }, cwd: '/', ask: null });
  const write = (order: Partial<Parameters<typeof writeSecret>[0]> = {}) =>
    writeSecret({ name: 'token', pressEnter: true, signal: null, ...order }, { recipient, resolver });
  return { done, write };
}

test.each([
  [{}, { pressEnter: true }, `write "${value}\\n"`],
  [{}, { pressEnter: false }, `write "${value}"`],
  [{ hasTerminal: true }, { pressEnter: true }, `paste ${value} true`],
  [{ hasTerminal: true }, { pressEnter: false }, `paste ${value} false`],
])('a secret is hidden, written and noted in this order (%#)', async (more, order, written) => {
  const { done, write } = toRecipient(more);

  expect(await write(order)).toEqual({ ok: true, bytesWritten: 1 });
  expect(done).toEqual([`hide ${value}`, written, 'note token']);
});

test('a secret that is not taken is not noted', async () => {
  const refused = { ok: false, bytesWritten: 0, code: 'closed', error: 'Closed.' } as const;
  const { done, write } = toRecipient({ write: async () => refused });

  expect(await write()).toEqual(refused);
  expect(done).toEqual([`hide ${value}`]);
});

const own =
  'Process tool_a writes its own log file, where a secret cannot be redacted, so the secret was not written';

test.each([
  [{ refuse: () => 'It has ended.' }, 'notRunning', 'It has ended.'],
  [
    { hasPipe: false },
    'noInput',
    'Process tool_a takes no input: start it with stdin: "pipe" or interactive: true.',
  ],
  [
    { writesOwnLog: true },
    'exposed',
    `${own}: it has no terminal that could hide it. Start it again with lifetime "session".`,
  ],
  [
    { writesOwnLog: true, hasTerminal: true },
    'exposed',
    `${own}: its terminal may show what is typed. Write it when the process asks for a secret and the terminal hides what is typed. Or start it again with lifetime "session", in a program whose option "terminal" is "pty": there it is hidden in any case.`,
  ],
])('a refusal says what to do instead (%#)', async (more, code, error) => {
  const { done, write } = toRecipient(more as Partial<SecretRecipient>);

  expect(await write()).toEqual({ ok: false, bytesWritten: 0, code, error });
  expect(done).toEqual([]);
});

test('a secret is refused where the process ended while it was resolved', async () => {
  let looks = 0;
  const { done, write } = toRecipient({
    refuse: () => {
      looks += 1;
      return looks === 1 ? null : 'It has ended.';
    },
  });

  expect(await write()).toMatchObject({ ok: false, code: 'notRunning', error: 'It has ended.' });
  expect(done).toEqual([]);
});

test('an interrupted secret is not written', async () => {
  const { done, write } = toRecipient();

  expect(await write({ signal: AbortSignal.abort() })).toEqual({
    ...{ ok: false, bytesWritten: 0, code: 'invalid', error: 'Interrupted: the secret was not written.' },
  });
  expect(done).toEqual([]);
});
