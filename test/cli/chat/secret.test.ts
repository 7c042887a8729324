import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixtureProgram, tempDir, waitUntil } from '../../support/os.ts';
import { ensureTmux, openTerminal } from '../tmux.ts';

/** A terminal in which a secret is asked for when `ask` is typed. */
async function openQuestion({ term = '' } = {}) {
  const directory = tempDir();
  const file = directory.file('answer');
  const command = `${term} ${process.execPath} ${fixtureProgram('asks-secret.ts')} ${file}`;
  const terminal = await openTerminal({ command, cwd: directory.path, columns: 80 });
  await terminal.record(directory.file('raw'));
  await terminal.shows('ready');
  return {
    ...terminal,
    answered: async () => {
      // It is there a moment before there is something in it.
      const text = await waitUntil(() => (existsSync(file) ? readFileSync(file, 'utf8') : null), {
        what: 'an answer',
      });
      return JSON.parse(text);
    },
    raw: () => readFileSync(directory.file('raw'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      directory.remove();
    },
  };
}

describe.skipIf(!ensureTmux())('a secret that is asked for at a terminal', { timeout: 90_000 }, () => {
  test('is typed unseen and is in no history', async () => {
    await using at = await openQuestion();

    await at.enter('ask');
    await at.shows(/Your npm token\?[\s\S]*npm login[\s\S]*Ctrl-C cancels ›$/);
    await at.type('hunter2-xx');
    await at.press('BSpace', 'BSpace');
    await at.enter('secret');
    await at.shows(/Given\.[\s\S]*\n›$/);
    await at.press('Up');
    await at.shows(/› ask$/);

    expect(await at.answered()).toBe('hunter2-secret');
    expect(await at.history()).not.toMatch(/hunter|secret$/);
    expect(at.raw()).not.toMatch(/hunter|2-xx/);
  });

  test('is withheld with Ctrl-C and the chat continues', async () => {
    await using at = await openQuestion();

    await at.enter('ask');
    await at.shows(/cancels ›$/);
    await at.type('hunter');
    await at.press('C-c');
    await at.shows(/Not given\.[\s\S]*\n›$/);
    await at.enter('hello');
    const screen = await at.shows('said: hello');

    expect(await at.answered()).toBeNull();
    expect(screen).not.toMatch(/interrupted|hunter/);
  });

  test('leaves what was being typed', async () => {
    await using at = await openQuestion();

    await at.paste('ask\rhalf a sen');
    await at.shows(/cancels ›$/);
    await at.enter('hunter2-secret');

    expect(await at.shows(/Given\.[\s\S]*\n› half a sen$/)).not.toContain('hunter');
    expect(await at.answered()).toBe('hunter2-secret');
  });

  test('is not asked for where it would show', async () => {
    await using at = await openQuestion({ term: 'TERM=dumb' });

    await at.enter('ask');
    await at.shows('this terminal cannot hide what is typed');

    expect(await at.answered()).toBeNull();
  });
});
