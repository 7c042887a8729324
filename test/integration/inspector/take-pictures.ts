/**
 * Takes the pictures of the inspector for README.md and the guide: `node test/integration/inspector/take-pictures.ts`, after the integration
 * tests of this folder have installed what it needs. The agent is a script; its processes are real.
 */
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { createConversation, createScriptedModel } from 'troupe';
import { launchBrowser } from './browser.ts';
import { eventually, openStage, type Stage } from './stage.ts';

const folder = join(import.meta.dirname, '../../../docs/pictures');
const wide = { viewport: { width: 1440, height: 900 } };

const pictures: Readonly<Record<string, BrowserContextOptions>> = {
  inspector: wide,
  'inspector.dark': { ...wide, colorScheme: 'dark' },
};

const server = `let update = 0;
require('http').createServer().listen(5199, '127.0.0.1', () => console.log('\\x1b[32mready\\x1b[0m on http://127.0.0.1:5199'));
setInterval(() => console.log('\\x1b[36mupdate\\x1b[0m ' + ++update), 700);`;

/** Lets an agent start a server, a check, tests that fail and a build that takes longer than the agent waits. */
async function tellStory({ supervisor, inspector }: Stage) {
  const start = (label: string, command: string) => ({
    name: 'start_process',
    arguments: { command, label },
  });
  const run = (label: string, command: string, timeout_seconds = 30) => ({
    name: 'run_command',
    arguments: { command, label, timeout_seconds },
  });
  const conversation = createConversation({
    ...{ supervisor, id: 'assistant', policy: { mode: 'auto' }, ask: inspector.ask },
    model: createScriptedModel([
      {
        text: 'I start the server, and check, test and build beside it.',
        calls: [
          run('lint', 'sleep 0.6; echo "no problems in 42 files"'),
          start('tests', 'sleep 2; echo "cart.test.ts: 2 failed, 31 passed"; exit 1'),
          run('build', 'for part in 1 2 3 4 5; do sleep 0.9; echo "built part $part of 5"; done', 0.8),
        ],
      },
      { text: 'The code is clean; tests and build still run. I will hear of them.' },
      { text: 'Two tests of the cart fail. I look at them while the build continues.' },
      { text: 'The build is complete.' },
    ]),
  });
  inspector.add(conversation);
  supervisor.start({
    ...{ command: ['node', '-e', server], label: 'web', owner: 'assistant', background: true },
  });
  const shell = `printf 'Password for user shop: '; stty -echo; read -r word; sleep 60`;
  supervisor.start({ command: shell, label: 'db-shell', interactive: true, background: true });
  await conversation.say('Build the shop and run its tests.');
  await eventually(() => {
    if (conversation.transcript.at(-1)?.text !== 'The build is complete.')
      throw new Error('The agent works.');
  });
  await conversation.idle();
  return conversation;
}

const browser = await launchBrowser();
try {
  await using stage = await openStage(browser, { isRecorded: true });
  const conversation = await tellStory(stage);
  const id = stage.supervisor.list().find(({ label }) => label === 'tests')?.id;
  for (const [name, options] of Object.entries(pictures)) {
    await using opened = await stage.open({ ...options, hash: `#/process/${id}` });
    await opened.row('db-shell').getByText('waits for a secret').waitFor();
    await opened.row('web').getByText(':5199', { exact: true }).waitFor();
    await opened.row('web').locator('.cpu').getByText('%').waitFor();
    await opened.page.locator('.chart svg').first().waitFor();
    await eventually(async () => {
      if (!(await opened.output()).includes('2 failed')) throw new Error('The output is not shown yet.');
    });
    await opened.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  }
  await conversation.close();
} finally {
  await browser.close();
}
