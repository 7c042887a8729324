import { describe, expect, test } from 'vitest';
import { arrange, dataOf, errorOf, turns } from './arrange.ts';

type Call = [name: string, input: object];

interface SetWords {
  readonly name: string;
  send(id: string, input: object): Call;
  capture(id: string): Call;
  resize(id: string, size: object): Call;
  keys(...names: readonly string[]): object;
  readonly text: string;
  readonly writes: string;
  readonly reads: string;
}

const sets: readonly SetWords[] = [
  {
    name: 'process',
    send: (id, input) => ['send_keys', { process_id: id, ...input }],
    capture: (id) => ['capture_screen', { process_id: id }],
    resize: (id, size) => ['resize_terminal', { process_id: id, ...size }],
    keys: (...names) => ({ keys: names }),
    text: 'text',
    writes: 'write_process',
    reads: 'get_process_output',
  },
  {
    name: 'background_process',
    send: (id, input) => ['background_process', { action: 'send_keys', handle: id, ...input }],
    capture: (id) => ['background_process', { action: 'capture', handle: id }],
    resize: (id, size) => ['background_process', { action: 'resize', handle: id, ...size }],
    keys: (...names) => ({ keys: names.join(' ') }),
    text: 'input',
    writes: 'the action write',
    reads: 'the action log',
  },
];

describe.for(sets)('the set $name', (set) => {
  test.for([
    [['ls -la'], [{ type: 'text', text: 'ls -la' }]],
    [['hello'], [{ type: 'text', text: 'hello' }]],
    [['q'], [{ type: 'character', character: 'q' }]],
  ] as const)('plain text among the keys is typed: %j', async ([keys, strokes]) => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('sh', { interactive: true });

    await given.settle(await given.begin(...set.send(id, set.keys(...keys))));

    expect(given.backend.lastRun.strokes).toMatchObject(strokes);
  });

  test('a misspelled key is not typed as text', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('sh', { interactive: true });

    const answer = await given.call(...set.send(id, set.keys('Entr')));

    expect(errorOf(answer)).toContain('Did you mean "Enter"?');
    expect(given.backend.lastRun.strokes).toEqual([]);
  });

  test('types text, keys and Enter, and shows the screen', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('vim', { interactive: true });
    const run = given.backend.lastRun;

    const input = { [set.text]: 'ihello', ...set.keys('Escape', 'C-c'), press_enter: true };
    const pending = await given.begin(...set.send(id, input));
    run.screen = ['hello', '~'];
    const answer = await given.settle(pending);

    expect(run.strokes).toMatchObject([
      { type: 'text', text: 'ihello' },
      { type: 'key', key: 'Escape' },
      { type: 'character', character: 'c', ctrl: true },
      { type: 'key', key: 'Enter' },
    ]);
    expect(dataOf(answer)).toEqual({
      process_id: id,
      status: 'backgrounded',
      columns: 80,
      rows: 24,
      cursor: { row: 2, column: 2 },
      screen: 'hello\n~',
      message: 'Sent.',
    });
  });

  test('sends keys without looking at the screen', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('vim', { interactive: true });

    const answer = await given.call(...set.send(id, { ...set.keys('Up'), then_capture: false }));

    expect(dataOf(answer)).toEqual({ process_id: id, message: 'Sent.' });
  });

  test('pastes what has more than one line', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('python3', { interactive: true });

    await given.call(...set.send(id, { [set.text]: 'a\nb', then_capture: false }));
    await given.call(
      ...set.send(id, { [set.text]: 'c', paste: true, press_enter: true, then_capture: false }),
    );

    expect(given.backend.lastRun.pasted).toEqual(['a\nb', 'c']);
    expect(given.backend.lastRun.strokes).toMatchObject([{ key: 'Enter' }]);
  });

  test('names the nearest key and the process continues', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('vim', { interactive: true });

    const answer = await given.call(...set.send(id, set.keys('Entre')));

    expect(errorOf(answer)).toContain('Did you mean "Enter"?');
    expect(errorOf(answer)).toContain(`goes into "${set.text}"`);
    expect(given.backend.lastRun).toMatchObject({ isUp: true, strokes: [] });
  });

  test('pastes nothing where a key is wrong', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('vim', { interactive: true });

    const input = { [set.text]: 'c', paste: true, ...set.keys('Entr'), then_capture: false };
    const answer = await given.call(...set.send(id, input));

    expect(errorOf(answer)).toContain('Did you mean "Enter"?');
    expect(given.backend.lastRun).toMatchObject({ pasted: [], strokes: [] });
  });

  test('wants something to send', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('vim', { interactive: true });

    expect(errorOf(await given.call(...set.send(id, {})))).toContain('is required');
  });

  test('shows the last screen after the end', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('top', { interactive: true });
    given.backend.lastRun.screen = ['load: 0.1'];
    given.backend.lastRun.exit();

    const answer = await given.call(...set.capture(id));

    expect(dataOf(answer)).toMatchObject({ status: 'completed', last: true, screen: 'load: 0.1' });
    expect(answer.reveals).toEqual([`${id}/1/ended`]);
  });

  test('says that keys have ended a process', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('less', { interactive: true });

    const pending = await given.begin(...set.send(id, { [set.text]: 'q' }));
    given.backend.lastRun.exit();
    const answer = await given.settle(pending);

    expect(dataOf(answer)).toMatchObject({
      status: 'completed',
      message: 'Sent, and the process has ended.',
    });
    expect(answer.reveals).toEqual([`${id}/1/ended`]);
  });

  test('waits until the screen is quiet, and not for ever', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('top', { interactive: true });
    const sinceMs = given.clock.nowMs();

    const pending = await given.begin(...set.send(id, set.keys('Up')));
    while (!pending.isOver) {
      given.backend.lastRun.print('.');
      given.clock.advance(50);
      await turns(1);
    }

    expect(given.clock.nowMs() - sinceMs).toBe(1_000);
    expect((await pending.answer).ok).toBe(true);
  });

  test('changes the size', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('top', { interactive: true });

    const answer = await given.call(...set.resize(id, { columns: 120, rows: 40 }));
    const nonsense = await given.call(...set.resize(id, { columns: 0, rows: 40 }));

    expect(dataOf(answer).message).toContain('120 columns and 40 rows');
    expect(given.backend.lastRun.sizes.at(-1)).toEqual({ columns: 120, rows: 40 });
    expect(errorOf(nonsense)).toContain('"columns" is 0; expected at least 2');
  });

  test('says what to do where no terminal was asked for', async () => {
    await using given = arrange({ terminal: true });
    const { id } = given.start('cat', { stdin: 'pipe' });

    const keys = await given.call(...set.send(id, set.keys('Enter')));
    const screen = await given.call(...set.capture(id));
    const size = await given.call(...set.resize(id, { columns: 100, rows: 30 }));

    expect(errorOf(keys)).toContain(`Process ${id} has no terminal.`);
    expect(errorOf(keys)).toContain(set.writes);
    expect(errorOf(screen)).toContain(set.reads);
    for (const answer of [keys, screen, size]) expect(answer).toMatchObject({ ok: false, worked: true });
    expect(given.backend.lastRun.isUp).toBe(true);
  });

  test('says what to do where none could be had', async () => {
    await using given = arrange();
    const { id } = given.start('vim', { interactive: true });

    const keys = await given.call(...set.send(id, set.keys('Enter')));

    expect(errorOf(keys)).toContain('its own backend has no terminals');
    expect(errorOf(keys)).toContain(set.writes);
  });

  test('types a secret by its name', async () => {
    await using given = arrange({
      terminal: true,
      supervisor: { secrets: { token: () => 'hunter2-secret' } },
    });
    const { id } = given.start('login', { interactive: true });

    const pending = await given.begin(...set.send(id, { secret: 'token' }));
    given.backend.lastRun.print('hunter2-secret');
    given.backend.lastRun.screen = ['Token: hunter2-secret'];
    const answer = await given.settle(pending);

    expect(given.backend.lastRun.pasted).toEqual(['hunter2-secret']);
    expect(given.backend.lastRun.strokes).toMatchObject([{ key: 'Enter' }]);
    expect(dataOf(answer).screen).toBe('Token: [redacted]****');
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  test('types no secret beside something else, nor an unknown one', async () => {
    await using given = arrange({
      terminal: true,
      supervisor: { secrets: { token: () => 'hunter2-secret' } },
    });
    const { id } = given.start('login', { interactive: true });

    const beside = await given.call(...set.send(id, { secret: 'token', [set.text]: 'x' }));
    const unknown = await given.call(...set.send(id, { secret: 'tokne' }));

    expect(errorOf(beside)).toContain('is sent alone');
    expect(errorOf(unknown)).toContain('Did you mean "token"?');
    expect(given.backend.lastRun.pasted).toEqual([]);
  });
});

test('a process that was to be interactive says what it became', async () => {
  await using given = arrange();

  const { process_id, message, terminal } = dataOf(
    await given.call('start_process', { command: 'python3', interactive: true }),
  );
  const written = await given.call('write_process', { process_id, input: '1+1' });

  expect(terminal).toBe('none');
  expect(message).toContain('It has pipes instead of a terminal: ');
  expect(written.ok).toBe(true);
});

test('a start in a terminal shows the screen, and names no way that leads nowhere', async () => {
  await using given = arrange({
    terminal: true,
    script: (run) => {
      run.comeUp();
      run.screen = ['>>> '];
    },
  });

  const pending = await given.begin('start_process', { command: 'python3', interactive: true });
  const { process_id, ...data } = dataOf(await given.settle(pending));

  // Its supervisor has no state directory.
  expect(data).not.toHaveProperty('attach');
  expect(data).toMatchObject({
    status: 'backgrounded',
    terminal: '80x24',
    screen: '>>>',
    cursor: { row: 1, column: 5 },
    message: expect.stringContaining(`as ${process_id}. `),
  });
});

test('a spawn in a terminal does the same', async () => {
  await using given = arrange({ terminal: true });

  const input = { action: 'spawn', command: 'vim', interactive: true, wait: true };
  const data = dataOf(await given.settle(await given.begin('background_process', input)));

  expect(data).toMatchObject({ terminal: '80x24', screen: '' });
});

test('a screen in an answer is bounded', async () => {
  await using given = arrange({ terminal: true });
  const { id } = given.start('top', { interactive: true });
  await given.call('resize_terminal', { process_id: id, columns: 1_000, rows: 1_000 });
  given.backend.lastRun.screen = Array.from({ length: 1_000 }, (_, row) => `${row} ${'x'.repeat(900)}`);

  const { screen } = dataOf(await given.call('capture_screen', { process_id: id }));

  expect(screen.length).toBeLessThan(17_000);
  expect(screen).toMatch(/^0 x+\n/);
  expect(screen).toContain('999 x');
  expect(screen).toContain('bytes left out');
});

test('a secret is written to a pipe by its name', async () => {
  await using given = arrange({ supervisor: { secrets: { token: () => 'hunter2-secret' } } });
  const { id } = given.start('login', { stdin: 'pipe' });

  const answer = await given.call('write_process', { process_id: id, secret: 'token' });
  const both = await given.call('write_process', { process_id: id, secret: 'token', input: 'x' });
  const other = await given.call('background_process', { action: 'write', handle: id, secret: 'token' });

  expect(dataOf(answer)).toEqual({ process_id: id, message: 'Wrote the secret "token".' });
  expect(errorOf(both)).toContain('not both');
  expect(other.ok).toBe(true);
  expect(given.backend.lastRun.input).toBe('hunter2-secret\n'.repeat(2));
});

test('a secret for a process without input says what to do', async () => {
  await using given = arrange({ supervisor: { secrets: { token: () => 'hunter2-secret' } } });
  const { id } = given.start('login');

  const answer = await given.call('write_process', { process_id: id, secret: 'token' });

  expect(errorOf(answer)).toContain('Start it again with start_process and stdin: true');
});

test('an interrupted call takes its question back', async () => {
  const signals: AbortSignal[] = [];
  await using given = arrange({
    supervisor: {
      secrets: { token: { ask: 'Token?' } },
      askSecret: (_, signal) => {
        signals.push(signal);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));
      },
    },
  });
  const { id } = given.start('login', { stdin: 'pipe' });
  const pending = await given.begin('write_process', { process_id: id, secret: 'token' });

  given.interruption.abort();

  expect(errorOf(await pending.answer)).toContain('not have been written');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('an interrupted call waits for no source of a secret', async () => {
  const secrets = { token: () => new Promise<string>(() => {}) };
  await using given = arrange({ supervisor: { secrets } });
  const { id } = given.start('login', { stdin: 'pipe' });
  const pending = await given.begin('write_process', { process_id: id, secret: 'token' });

  given.interruption.abort();

  expect(errorOf(await pending.answer)).toContain('Interrupted');
  expect(given.backend.lastRun.input).toBe('');
});
