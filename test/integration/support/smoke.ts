/**
 * Program that uses troupe as a user would and prints one line of JSON for each check: `{ "check", "result" }`. Runs from bundles and in other
 * runtimes, so it uses troupe and Node's modules only, and no `await` outside functions, which CommonJS does not have. Arguments: a folder for
 * files, then the names of checks (default: all).
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createConversation,
  createPolicy,
  createScriptedModel,
  createSupervisor,
  type ProcessHandle,
  type Supervisor,
  type SupervisorOptions,
  TroupeError,
  waitFor,
} from 'troupe';

const [folder = '.', ...chosen] = process.argv.slice(2);

/** Returns whether a process is alive; a zombie is not. */
function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** Waits until the process has printed the text; returns its output. */
async function untilPrinted(handle: ProcessHandle, text: string): Promise<string> {
  const answer = await waitFor(handle, { text, timeout: '30s' });
  const output = handle.read({ format: 'raw' }).text;
  assert.ok(output.includes(text), JSON.stringify({ answer, view: handle.view() }));
  return output;
}

/** Ended after each check, however it went. */
const supervisors: Supervisor[] = [];

function open(options: SupervisorOptions = { stateDirectory: false }): Supervisor {
  const supervisor = createSupervisor(options);
  supervisors.push(supervisor);
  return supervisor;
}

/** A refusal of troupe's, with its sentence. */
class Refusal extends Error {}

/** Writes a module into a folder of its own: Bun does not see files added to a folder that it has looked at. */
function writeModule(code: string): string {
  const module = join(mkdtempSync(join(folder, 'module-')), 'module.mjs');
  writeFileSync(module, code);
  return module;
}

/** Returns the end of a worker thread; throws if its start was refused. */
async function endOfWorker(handle: ProcessHandle) {
  const view = await handle.ended;
  if (view.reason.type === 'spawnFailed') throw new Refusal(view.reason.message);
  return view;
}

const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${'x'.repeat(60)}\n`);

const checks: Readonly<Record<string, () => Promise<void>>> = {
  'exit code': async () => {
    const supervisor = open();
    const result = await supervisor.execute({ command: 'echo out; echo err >&2; exit 3' });
    assert.ok('exitCode' in result, JSON.stringify(result));
    assert.deepEqual([result.exitCode, result.stdout, result.stderr], [3, 'out\n', 'err\n']);
    assert.deepEqual((await supervisor.shutdown()).survivors, []);
  },

  'whole output': async () => {
    const supervisor = open();
    const file = join(folder, 'lines.txt');
    writeFileSync(file, lines.join(''));
    const handle = supervisor.start({ command: ['cat', file] });
    let next = 0;
    for await (const line of handle.lines()) {
      assert.equal(`${line.text}\n`, lines[next]);
      next += 1;
    }
    assert.equal(next, lines.length);
    assert.equal((await handle.ended).status, 'completed');
  },

  'streams opened by name': async () => {
    const result = await open().execute({ command: 'echo one >/dev/stdout; echo two >/dev/stderr' });
    assert.ok('exitCode' in result, JSON.stringify(result));
    // The command was refused, and says so.
    if (result.exitCode !== 0) throw new Refusal(result.stderr);
    assert.deepEqual([result.exitCode, result.stdout, result.stderr], [0, 'one\n', 'two\n']);
  },

  'many at once': async () => {
    const supervisor = open();
    const starts = Array.from({ length: 40 }, (_, index) => ({
      command: `echo ${index}; echo ${index} >&2`,
    }));
    const results = await Promise.all(starts.map((start) => supervisor.execute(start)));
    const printed = results.map((result) => ('exitCode' in result ? result.stdout + result.stderr : result));
    assert.deepEqual(
      printed,
      starts.map((_, index) => `${index}\n${index}\n`),
    );
  },

  signal: async () => {
    const { status, exit } = await open().start({ command: 'kill -TERM $$' }).ended;
    assert.deepEqual([status, exit?.signal], ['failed', 'SIGTERM']);
  },

  'missing program': async () => {
    const view = await open().start({ command: ['no-such-program-here'] }).ended;
    assert.equal(view.status, 'failed');
  },

  stdin: async () => {
    const handle = open().start({ command: ['cat'], stdin: 'pipe' });
    await handle.write('one\n');
    await untilPrinted(handle, 'one');
    await handle.write('two\n');
    await handle.endInput();
    assert.equal((await handle.ended).status, 'completed');
    assert.equal(handle.read({ format: 'raw' }).text, 'one\ntwo\n');
  },

  'large input': async () => {
    const input = lines.join('');
    const handle = open().start({ command: ['cksum'], input });
    assert.equal((await handle.ended).status, 'completed');
    assert.match(handle.read({ format: 'raw' }).text, new RegExp(`^\\d+ ${input.length}\\n$`));
  },

  'kill of a tree': async () => {
    const supervisor = open();
    const handle = supervisor.start({
      command:
        "trap '' TERM; sleep 600 & echo child $!; setsid sleep 600 & echo child $!; echo both; wait; sleep 600",
      killGrace: '200ms',
      background: true,
    });
    const text = await untilPrinted(handle, 'both');
    const pids = [...text.matchAll(/child (\d+)/g)].map(([, pid]) => Number(pid));
    assert.equal(pids.length, 2);
    const receipt = await handle.kill();
    assert.equal((await handle.ended).status, 'killed', JSON.stringify(receipt));
    assert.deepEqual(pids.filter(isAlive), []);
    assert.deepEqual((await supervisor.shutdown()).survivors, []);
  },

  timeout: async () => {
    const handle = open().start({ command: ['sleep', '600'], timeout: '300ms', onTimeout: 'kill' });
    assert.equal((await handle.ended).status, 'timed_out');
  },

  restart: async () => {
    const mark = join(folder, 'restarted');
    const handle = open().start({
      command: `[ -e '${mark}' ] && echo again || { touch '${mark}'; exit 1; }`,
      restart: { policy: 'transient', minBackoff: '10ms' },
    });
    const { status, attempt } = await handle.ended;
    assert.deepEqual([status, attempt], ['completed', 2]);
  },

  'persistent process': async () => {
    const stateDirectory = join(folder, 'state');
    const first = open({ stateDirectory });
    const server = first.start({
      command: 'echo begun $$; while :; do echo tick; sleep 0.1; done',
      lifetime: 'persistent',
      background: true,
    });
    const pid = Number((await untilPrinted(server, 'tick')).match(/begun (\d+)/)?.[1]);
    await first.shutdown();
    assert.ok(isAlive(pid), 'the process did not survive the shutdown');

    const second = open({ stateDirectory });
    assert.deepEqual(second.recovered.adopted, [server.id]);
    const adopted = second.get(server.id);
    assert.match(adopted?.read({ format: 'raw' }).text ?? '', /^begun/);
    await adopted?.kill();
    assert.equal(isAlive(pid), false);
  },

  terminal: async () => {
    const handle = open({ stateDirectory: false, terminal: 'pty' }).start({
      command: 'read -r line; printf "\\033[1mgot %s\\033[0m\\n" "$line"; tty; sleep 600',
      interactive: true,
      background: true,
    });
    const { terminal } = handle.view();
    if (terminal?.type !== 'terminal') throw new Refusal(terminal?.because ?? 'without a sentence');
    await handle.sendKeys({ text: 'keys', pressEnter: true });
    const answer = await waitFor(handle, { text: '/dev/pts', timeout: '30s' });
    const capture = await handle.capture();
    assert.ok(capture.ok, JSON.stringify({ answer, capture }));
    assert.match(capture.screen.lines.join('\n'), /got keys[\s\S]*\/dev\/pts/);
  },

  'terminal in tmux': async () => {
    const handle = open({ stateDirectory: join(folder, 'tmux'), terminal: 'tmux' }).start({
      command: 'read -r line; printf "\\033[1mgot %s\\033[0m\\n" "$line"; sleep 600',
      interactive: true,
      background: true,
    });
    const { terminal } = handle.view();
    if (terminal?.type !== 'terminal') throw new Refusal(terminal?.because ?? 'without a sentence');
    await handle.sendKeys({ text: 'keys', pressEnter: true });
    const answer = await waitFor(handle, { text: 'got keys', timeout: '30s' });
    const capture = await handle.capture();
    assert.ok(capture.ok, JSON.stringify({ answer, capture }));
    assert.match(capture.screen.lines.join('\n'), /got keys/);
  },

  conversation: async () => {
    const supervisor = open();
    const mark = join(folder, 'build-may-end');
    const command = `until [ -e '${mark}' ]; do sleep 0.05; done; echo built; exit 3`;
    const conversation = createConversation({
      supervisor,
      policy: { mode: 'auto' },
      model: createScriptedModel([
        { calls: [{ name: 'start_process', arguments: { command, label: 'build' } }] },
        { text: 'The build runs.' },
        { text: 'It failed.' },
      ]),
    });
    const outcomes: unknown[] = [];
    const told = new Promise<void>((resolve) => {
      conversation.events$.subscribe((event) => {
        if (event.type !== 'turn.ended') return;
        outcomes.push(event.outcome);
        if (outcomes.length === 2) resolve();
      });
    });
    await conversation.say('Build it.');
    writeFileSync(mark, '');
    await told;
    assert.deepEqual(outcomes, [
      { type: 'answered', text: 'The build runs.' },
      { type: 'answered', text: 'It failed.' },
    ]);
    const notices = conversation.transcript.filter(({ role }) => role === 'notice');
    assert.equal(notices.length, 1);
    assert.match(notices[0]?.text ?? '', /exit_code="?3|code 3/);
    assert.match(notices[0]?.text ?? '', /built/);
    await conversation.close();
  },

  'policy with its grammar': async () => {
    const policy = createPolicy({ mode: 'auto' });
    const decide = async (command: string) =>
      (await policy.decide({ tool: 'run_command', permission: 'start', start: { command } })).type;
    assert.equal(await decide('npm test && git status'), 'allow');
    assert.equal(await decide('echo "rm -rf /"'), 'allow');
    assert.equal(await decide("sudo env X=1 sh -c 'r\\m -rf /'"), 'deny');
    await policy.close();
  },

  function: async () => {
    const handle = open().start({
      run: async ({ stdout }) => {
        await stdout('from a function\n');
        return { answer: 42 };
      },
    });
    assert.equal((await handle.ended).status, 'completed');
    assert.equal(handle.read({ format: 'raw' }).text, 'from a function\n{"answer":42}\n');
  },

  'failing worker': async () => {
    const module = writeModule('export default () => { throw new Error("on purpose"); };');
    const handle = open().start({ run: { worker: module } });
    const { status, exit } = await endOfWorker(handle);
    assert.deepEqual([status, exit?.code], ['failed', 1]);
    assert.match(handle.read({ format: 'raw' }).text, /on purpose/);
  },

  'kill of a worker': async () => {
    const module = writeModule('console.log("begun"); for (;;);');
    const handle = open().start({ run: { worker: module }, background: true, killGrace: '100ms' });
    await waitFor(handle, { text: 'begun', timeout: '30s' });
    await handle.kill();
    assert.equal((await endOfWorker(handle)).status, 'killed');
  },

  worker: async () => {
    const module = writeModule('export default ({ workerData }) => ({ doubled: workerData * 2 });');
    const handle = open().start({ run: { worker: module, workerData: 21 } });
    const { status } = await endOfWorker(handle);
    assert.deepEqual([status, handle.read({ format: 'raw' }).text], ['completed', '{"doubled":42}\n']);
  },
};

async function run(check: (() => Promise<void>) | undefined): Promise<string> {
  try {
    assert.ok(check, 'there is no such check');
    await check();
    return 'works';
  } catch (error) {
    const isRefusal =
      error instanceof Refusal || (error instanceof TroupeError && error.code === 'unsupported-platform');
    if (isRefusal) return `refused: ${error.message}`;
    return `failed: ${error instanceof Error ? error.stack : error}`;
  } finally {
    for (const supervisor of supervisors.splice(0)) await supervisor.shutdown();
  }
}

async function main(): Promise<void> {
  for (const check of chosen.length === 0 ? Object.keys(checks) : chosen)
    console.log(JSON.stringify({ check, result: await run(checks[check]) }));
}

void main();
