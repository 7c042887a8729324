import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { filter, firstValueFrom, skipWhile, timeout } from 'rxjs';
import {
  createConversation,
  createScriptedModel,
  createSupervisor,
  type FinalView,
  type ProcessView,
} from '../src/index.ts';
import { createInspector } from '../src/inspector/index.ts';
import { findCarriers } from './demo/carriers.ts';
import { createChecks } from './demo/checks.ts';
import { narrateConversation, narrateProcesses } from './demo/narrate.ts';
import { script } from './demo/script.ts';
import { createStage } from './demo/stage.ts';
import { toTimeBars } from './demo/time-bars.ts';

const stage = createStage((text) => process.stdout.write(text));
const checks = createChecks();
const home = mkdtempSync(join(tmpdir(), 'troupe-demo-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

const supervisor = createSupervisor({
  cwd: join(import.meta.dirname, 'demo'),
  stateDirectory: home,
  // Commands find the same Node that runs this.
  env: { PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter) },
  // Ctrl-C ends the processes, too.
  handleSignals: true,
});
narrateProcesses(supervisor, stage);
/** With `--ui` everything can be watched in a page. */
const inspector = process.argv.includes('--ui') ? createInspector({ supervisor, title: 'demo' }) : null;
const page = await inspector?.listen();

const conversation = createConversation({
  supervisor,
  model: createScriptedModel(script),
  policy: { mode: 'auto' },
  onEvent: (event) => narrateConversation(event, { stage, home }),
});

inspector?.add(conversation);
if (page !== undefined) stage.plain(`Watch it live: ${page.link}`);

stage.opening(
  'troupe: an agent and its processes',
  'The agent below is a script, so no key and no network are needed. Every process is real. In the margin stands who speaks: ' +
    '"you", the "agent", its tool "call" and the "answer" to it, the "state" of a process whenever it changes, and a "notice" ' +
    'that troupe itself writes to the agent.',
);

await quickCommand();
await twoAtOnce();
await tooLong();
await server();
await forgotten();
await ending();

async function quickCommand(): Promise<void> {
  stage.chapter(
    '1  A quick command',
    'A command that ends quickly is a plain tool call: the agent waits and gets the output.',
  );
  await conversation.say('Say hello, loudly.');
  checks.expect('the quick command completed', find('greet')?.status === 'completed');
}

async function twoAtOnce(): Promise<void> {
  stage.chapter(
    '2  Two in parallel',
    'Calls of one step run in parallel; the results return in the order of the calls.',
  );
  await conversation.say('Check lint and types.');
  const views = [find('lint'), find('types')].filter((view) => view?.status === 'completed') as FinalView[];
  const [lint, types] = views;
  const overlapMs =
    lint === undefined || types === undefined
      ? 0
      : Math.min(lint.endedAt, types.endedAt) - Math.max(lint.startedAt ?? 0, types.startedAt ?? 0);
  for (const line of toTimeBars(views)) stage.say('check', line);
  stage.say('check', `They ran at the same time for ${(overlapMs / 1_000).toFixed(1)} s.`);
  checks.expect('two commands overlapped', overlapMs > 0);
}

async function tooLong(): Promise<void> {
  stage.chapter(
    '3  A slow command',
    'A command that exceeds its timeout is not killed: it moves to the background, the agent continues, and a notice wakes the ' +
      'agent when the process ends. No polling.',
  );
  const next = nextTurn('notice');
  await conversation.say('Build the project, and count to 1000 meanwhile.');
  checks.expect('the build moved to the background', wentToBackground(find('build')));
  checks.expect('the agent continued meanwhile', find('count')?.status === 'completed');
  stage.say('check', 'The agent is idle now; the build is still running.');
  const woken = await next;
  checks.expect('a notice woke the agent', woken.includes('all 4 parts'));
  checks.expect('the end was reported once', noticesAbout('build') === 1);
}

async function server(): Promise<void> {
  stage.chapter(
    '4  A server',
    'A server starts, becomes ready, is used, and is killed as a tree: the first process and everything that it started.',
  );
  let aliveWhileUsed = 0;
  const counting = supervisor.events$
    .pipe(filter((event) => event.type === 'process.ready'))
    .subscribe(async (event) => {
      if ('process' in event) aliveWhileUsed = (await findCarriers(event.process.id)).length;
    });
  await conversation.say('Start the server, ask it for tea, and clean up.');
  counting.unsubscribe();
  const view = find('server');
  const left = view === undefined ? [] : await findCarriers(view.id);
  stage.say(
    'check',
    `The operating system knew ${aliveWhileUsed} processes of the server; now it knows ${left.length}.`,
  );
  checks.expect('the request was answered', find('request')?.status === 'completed' && hasTea());
  checks.expect('the server and its worker ran', aliveWhileUsed >= 2);
  checks.expect('the server and its worker are gone', view?.status === 'killed' && left.length === 0);
  await conversation.idle();
  checks.expect('the agent was not notified of an end that it caused', noticesAbout('server') === 0);
}

async function forgotten(): Promise<void> {
  stage.chapter(
    '5  Forgotten',
    'Agents forget. This one leaves a watcher running, with a child that has detached from its parent.',
  );
  await conversation.say('Watch the files.');
  checks.expect('the watcher runs', find('watcher')?.status === 'backgrounded');
}

async function ending(): Promise<void> {
  stage.chapter(
    '6  The end',
    'The program is about to exit. Each process has a mark of this supervisor in its environment and passes it on to its ' +
      'children, so all of them can be counted, before and after.',
  );
  const before = await findCarriers(supervisor.id);
  stage.say('check', `Before: ${before.length} processes carry the mark.`);
  const report = await supervisor.shutdown();
  await conversation.close();
  const after = await findCarriers(supervisor.id);
  stage.say(
    'check',
    after.length === 0 && report.survivors.length === 0
      ? `After:  none. ${supervisor.list().length} processes were started here, and nothing of them is left.`
      : `After:  ${after.length} are left: pid ${after.join(', ')}.`,
  );
  checks.expect('processes were left to kill', before.length >= 2);
  checks.expect('nothing is left', after.length === 0 && report.survivors.length === 0);

  const { failed, total } = checks;
  stage.plain('');
  for (const claim of failed) stage.plain(`FAILED: ${claim}`);
  if (failed.length === 0) stage.plain(`All ${total} claims of this demonstration were checked and held.`);
  process.exitCode = failed.length === 0 ? 0 : 1;
  if (page !== undefined) stage.plain(`The page stays open until Ctrl-C: ${page.link}`);
}

function find(label: string): ProcessView | undefined {
  return supervisor.list().find((view) => view.label === label);
}

/** What the agent says in the next turn that begins for that reason; empty when none does. */
async function nextTurn(because: 'notice'): Promise<string> {
  const ended = conversation.events$.pipe(
    skipWhile((event) => event.type !== 'turn.started' || event.because !== because),
    filter((event) => event.type === 'turn.ended'),
    timeout(60_000),
  );
  const { outcome } = await firstValueFrom(ended).catch(() => ({ outcome: { type: 'closed' } as const }));
  return outcome.type === 'answered' ? outcome.text : '';
}

function wentToBackground(view: ProcessView | undefined): boolean {
  return view !== undefined && 'backgroundedAt' in view && view.backgroundedAt !== null;
}

function noticesAbout(label: string): number {
  const id = find(label)?.id ?? '';
  return conversation.transcript.filter(
    (message) => message.role === 'notice' && message.completionIds.some((each) => each.startsWith(`${id}/`)),
  ).length;
}

function hasTea(): boolean {
  return conversation.transcript.some(
    ({ role, text }) => role === 'tool' && text.includes('You asked for /tea'),
  );
}
