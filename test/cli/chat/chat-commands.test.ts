import { expect, test } from 'vitest';
import { completeCommand, isChatCommand, runChatCommand } from '../../../src/cli/verbs/chat/chat-commands.ts';
import { createVirtualHarness } from '../../support/virtual.ts';
import { plainPage } from '../plain-page.ts';

/** Commands over a supervisor whose processes are played by hand. */
function arrange() {
  const { supervisor } = createVirtualHarness();
  let hasQuit = false;
  const shortened = [true, false];
  const conversation = { compact: async () => shortened.shift() ?? false };
  return {
    supervisor,
    hasQuit: () => hasQuit,
    run: async (line: string) => {
      const quit = () => {
        hasQuit = true;
      };
      return (await runChatCommand(line, { supervisor, conversation, page: plainPage(80), quit })).join('\n');
    },
    [Symbol.asyncDispose]: () => supervisor[Symbol.asyncDispose](),
  };
}

test.each([
  ['/help', true],
  ['/kill build', true],
  ['/', true],
  ['/usr/bin is full', false],
  ['/help\nand more', false],
  ['look at /help', false],
])('%j is a command: %j', (text, expected) => {
  expect(isChatCommand(text)).toBe(expected);
});

test('an unknown command names the nearest', async () => {
  await using at = arrange();

  expect(await at.run('/proceses')).toBe('! There is no command "/proceses". Did you mean /processes?');
  expect(await at.run('/toString')).toContain('/help lists the commands.');
});

test('without processes the list says so', async () => {
  await using at = arrange();

  expect(await at.run('/processes')).toBe('· No processes so far.');
  expect(await at.run('/background')).toBe('· Nothing runs in the foreground.');
  expect(await at.run('/kill x')).toBe('! Process "x" not found. There are no processes.');
});

test('/output says that a process has printed nothing, while it runs and after its end', async () => {
  await using at = arrange();
  const handle = at.supervisor.start({ id: 'build', command: ['make'], background: true });

  expect(await at.run('/output build')).toBe('· build has printed nothing so far.');
  await handle.kill();

  expect(await at.run('/output build')).toBe('· build has printed nothing.');
});

test('the help names every command', async () => {
  await using at = arrange();

  const help = await at.run('/help');

  const names = [...help.matchAll(/^ {2}\/(\w+)/gm)].map(([, name]) => name);
  expect(names).toEqual(['processes', 'process', 'output', 'kill', 'background', 'compact', 'help', 'quit']);
});

test('quit ends the chat', async () => {
  await using at = arrange();

  await at.run('/quit');

  expect(at.hasQuit()).toBe(true);
});

test('a prefix of a command is completed', async () => {
  await using at = arrange();
  const { id } = at.supervisor.start({ command: 'serve', label: 'server' });

  expect(completeCommand('/pro', at.supervisor)).toEqual(['/processes', '/process']);
  expect(completeCommand('/kill ser', at.supervisor)).toEqual(['/kill server']);
  expect(completeCommand('/kill ', at.supervisor)).toEqual([`/kill ${id}`, '/kill server']);
  expect(completeCommand('hello', at.supervisor)).toEqual([]);
});

test('a conversation is made shorter on demand', async () => {
  await using at = arrange();

  expect(await at.run('/compact')).toBe('');
  expect(await at.run('/compact')).toContain('Nothing can be dropped');
});

test('the help lists every command', async () => {
  await using at = arrange();

  expect(await at.run('/help')).toBe(
    `  /processes      the processes of this chat
  /process <id>   everything about one, and its history
  /output <id>    its last output
  /kill <id>      ends it, and everything it started
  /background     moves what runs in the foreground to the background
  /compact        shortens the transcript for the model: old output first
  /help           this list
  /quit           ends the chat and its processes; so does Ctrl-D
· Instead of an id, give a label or the beginning of either.
· Ctrl-C interrupts the agent; a second one, or one while it does nothing, ends
  the chat.`,
  );
});
