// An agent with a server and an editor, each in a terminal of its own. A person may attach to the editor meanwhile.
// `npm run terminals`, or with more time for the person: `npm run terminals -- --quiet 20`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { filter, firstValueFrom, timeout } from 'rxjs';
import { createConversation, createScriptedModel, createSupervisor } from '../src/index.ts';
import { findCarriers } from './demo/carriers.ts';
import { createChecks } from './demo/checks.ts';
import { narrateConversation, narrateProcesses } from './demo/narrate.ts';
import { createStage } from './demo/stage.ts';
import { createScript } from './terminals/script.ts';

const { values } = parseArgs({ options: { quiet: { type: 'string', default: '4' } } });
const quietSeconds = Number(values.quiet);
if (!(quietSeconds >= 1 && quietSeconds <= 600)) {
  console.error(`--quiet is ${values.quiet}; expected seconds from 1 to 600.`);
  process.exit(2);
}

const stage = createStage((text) => process.stdout.write(text));
const checks = createChecks();
const home = mkdtempSync(join(tmpdir(), 'troupe-terminals-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

const supervisor = createSupervisor({
  cwd: home,
  stateDirectory: join(home, 'state'),
  env: { PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter) },
  handleSignals: true,
});
narrateProcesses(supervisor, stage);

const conversation = createConversation({
  supervisor,
  model: createScriptedModel(
    createScript({
      serverFile: join(import.meta.dirname, 'demo', 'server.ts'),
      quietSeconds,
    }),
  ),
  policy: { mode: 'dangerous' },
  onEvent: (event) => narrateConversation(event, { stage, home }),
});

stage.opening(
  'troupe: an agent at its terminals',
  'The agent is a script, so no key and no network are needed. The server, the editor and their screens are real.',
);
const woken = nextTurn('notice');
await conversation.say('Start the server and note in notes.txt where it is.');

const editor = supervisor.list().find(({ label }) => label === 'editor');
if (editor?.terminal?.type === 'terminal') {
  const cli = relative('.', join(import.meta.dirname, '..', 'src', 'cli', 'main.ts'));
  stage.say(
    'check',
    `The editor runs in a terminal of ${editor.mode}. Attach to it and type, for as long as you like:`,
  );
  stage.plain(`\n  node ${cli} attach ${editor.id} --state-dir ${join(home, 'state')}\n`);
}
const notes = await woken;

checks.expect('the editor had a terminal', editor?.terminal?.type === 'terminal');
checks.expect('a notice woke the agent', notes.includes('The server is at http://'));
checks.expect('the editor saved and ended by itself', statusOf('editor') === 'completed');
checks.expect('the server was ended', statusOf('server') === 'killed');

await supervisor.shutdown();
await conversation.close();
const left = await findCarriers(supervisor.id);
checks.expect('nothing is left', left.length === 0);
stage.plain('');
for (const claim of checks.failed) stage.plain(`FAILED: ${claim}`);
if (checks.failed.length === 0) stage.plain(`All ${checks.total} claims were checked and held.`);
process.exitCode = checks.failed.length === 0 ? 0 : 1;

function statusOf(label: string): string | undefined {
  return supervisor.list().find((view) => view.label === label)?.status;
}

/** What the agent says at the end of the next turn that began for that reason. */
async function nextTurn(because: 'notice'): Promise<string> {
  const began = firstValueFrom(
    conversation.events$.pipe(filter((event) => event.type === 'turn.started' && event.because === because)),
  );
  await began;
  const ended = conversation.events$.pipe(
    filter((event) => event.type === 'turn.ended'),
    timeout(60_000),
  );
  const { outcome } = await firstValueFrom(ended);
  return outcome.type === 'answered' ? outcome.text : '';
}
