import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { createToolHost } from '../../src/tools/tool-host.ts';
import { isInstalled } from '../support/installed.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { allTools, dataOf } from './arrange.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Tools of an agent that may do everything, with real processes in real terminals. */
function arrange() {
  const stage = openRealHarness({
    terminal: 'pty',
    control: false,
    secrets: { password: () => 'hunter2-secret' },
  });
  const host = createToolHost({
    ...{ supervisor: stage.supervisor, tools: allTools, owner: 'agent', policy: { mode: 'dangerous' } },
    // The test needs a shell that takes commands from its terminal.
    ask: async () => true,
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows to be there.
  const call = async (name: string, input: object): Promise<any> =>
    dataOf((await host.call({ name, input })).answer);
  return {
    ...stage,
    call,
    /** The screen once it shows that: on a slow machine an answer may come before the program has drawn. */
    shows: (process_id: string, wanted: RegExp) =>
      waitUntil(
        async () => {
          const answer = await call('capture_screen', { process_id });
          return wanted.test(answer.screen) ? answer : null;
        },
        { withinMs: 15_000, what: `${wanted} on the screen` },
      ),
  };
}

test('a pager is read, searched and left', async () => {
  await using given = arrange();
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index + 1}`);
  writeFileSync(given.file('long.txt'), lines.join('\n'));

  const started = await given.call('start_process', { command: 'less long.txt', interactive: true });
  const { process_id } = started;
  await given.shows(process_id, /^line 1\n/);
  await given.call('send_keys', { process_id, text: 'G' });
  await given.shows(process_id, /line 500/);
  await given.call('send_keys', { process_id, text: '?line 42$', press_enter: true });
  await given.shows(process_id, /^line 42\n/);
  await given.call('send_keys', { process_id, keys: ['Home', 'Down', 'Down'] });
  await given.shows(process_id, /^line 3\n/);
  await given.call('send_keys', { process_id, text: 'q' });
  const left = await given.call('wait_for', { process_id, exit: true });
  const last = await given.call('capture_screen', { process_id });

  expect(started).toMatchObject({ terminal: '80x24', screen: expect.any(String) });
  expect(left).toMatchObject({ status: 'completed' });
  expect(last).toMatchObject({ status: 'completed', last: true });
});

test.skipIf(!isInstalled('vim'))('an editor writes what is typed', async () => {
  await using given = arrange();

  const started = await given.call('start_process', { command: 'vim -u NONE notes.txt', interactive: true });
  const { process_id } = started;
  await given.shows(process_id, /notes\.txt/);
  await given.call('send_keys', { process_id, text: 'i' });
  await given.call('send_keys', { process_id, text: 'first\nsecond -- ;', keys: ['Escape'] });
  await given.shows(process_id, /^first\nsecond -- ;\n/);
  await given.call('send_keys', { process_id, keys: ['g', 'g'], text: '' });
  const typed = await waitUntil(async () => {
    const answer = await given.call('capture_screen', { process_id });
    return answer.cursor.row === 1 ? answer : null;
  });
  await given.call('send_keys', { process_id, text: ':wq', press_enter: true });
  await given.call('wait_for', { process_id, exit: true });

  expect(typed).toMatchObject({ full_screen: true, cursor: { row: 1 } });
  expect(readFileSync(given.file('notes.txt'), 'utf8')).toBe('first\nsecond -- ;\n');
});

test('a shell takes what looks like options and keys as it stands', async () => {
  await using given = arrange();
  const { process_id } = await given.call('start_process', {
    command: 'PS1="> " exec bash --norc --noprofile',
    interactive: true,
  });

  const text = `printf '%s|' -n 'a  b;' '\\n' Enter "C-c"`;
  await given.shows(process_id, /^>/);
  await given.call('send_keys', { process_id, text, press_enter: true });

  await given.shows(process_id, /^-n\|a {2}b;\|\\n\|Enter\|C-c\|/m);
});

test('a password is asked for, given by its name, and never seen', async () => {
  await using given = arrange();
  const command = 'printf "Password: "; read -rs line; printf "\\nWelcome, %s\\n" "$line"; read -r line';
  const { process_id } = await given.call('start_process', { command, interactive: true });

  const waiting = await given.call('wait_for', { process_id, input: true, timeout_seconds: 20 });
  // A prompt alone is a hint; that it reads a secret is certain once it does.
  const before = await waitUntil(async () => {
    const answer = await given.call('capture_screen', { process_id });
    return answer.awaits_input?.certainty === 'known' ? answer : null;
  });
  const sent = await given.call('send_keys', { process_id, secret: 'password' });
  const after = await given.shows(process_id, /Welcome/);

  expect(waiting.result).toBe('met');
  expect(before.awaits_input).toMatchObject({ kind: 'secret', certainty: 'known', prompt: 'Password:' });
  expect(after.screen).toContain('Welcome, [redacted]****');
  expect(JSON.stringify([sent, after])).not.toContain('hunter2');
});

test('a resized terminal draws anew', async () => {
  await using given = arrange();
  const command = 'trap "stty size" WINCH; stty size; while :; do sleep 0.1; done';
  const { process_id } = await given.call('start_process', { command, interactive: true });

  await given.shows(process_id, /^24 80$/m);
  await given.call('resize_terminal', { process_id, columns: 132, rows: 40 });
  const { columns, rows } = await given.shows(process_id, /^24 80\n[\s\S]*^40 132$/m);

  expect({ columns, rows }).toEqual({ columns: 132, rows: 40 });
});

test('the chosen entry of a menu is reported', async () => {
  await using given = arrange();
  const menu = String.raw`printf 'red\n\033[7mgreen \033[m\nblue\n> '; read -r _`;

  const { process_id } = await given.call('start_process', { command: menu, interactive: true });
  const shown = await given.shows(process_id, />$/);

  expect(shown.highlighted).toEqual([{ row: 2, text: 'green' }]);
});
