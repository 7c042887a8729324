import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ChatModel,
  createConversation,
  createScriptedModel,
  type FinalView,
  type ProcessView,
} from '../../src/index.ts';
import { createRecorder, replay, type Stage } from '../../src/testing/index.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'troupe-recording-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const toFile = (name: string) => join(directory, `${name}.jsonl`);

/** Records a program and returns its result with the path of the recording. */
async function record<Result>(name: string, program: (stage: Stage) => Promise<Result>) {
  const file = toFile(name);
  const recorder = createRecorder({ file });
  const result = await program(recorder);
  recorder.close();
  return { file, result };
}

/**
 * Returns a view without its moments. Durations that depend on what the program itself did, such as a kill, differ by the time of the
 * program's own steps; those of a process that was left alone stay.
 */
function withoutMoments(view: ProcessView): unknown {
  const isAlone = view.label === 'prints' || view.label === 'crashes';
  return JSON.parse(
    JSON.stringify(view, (key, value) => {
      if (typeof value !== 'number') return value;
      return /At$/.test(key) || (!isAlone && /^(runtime|duration)Ms$/.test(key)) ? 'a time' : value;
    }),
  );
}

const pause = (stage: Stage, ms: number) =>
  new Promise<void>((resolve) => void stage.clock.at(stage.clock.nowMs() + ms, resolve));

/** Runs processes that end in every way, and returns all that can be seen of them. */
async function runProcesses(stage: Stage) {
  const supervisor = stage.createSupervisor({ stateDirectory: false });
  const printed = await supervisor.execute({
    command: 'printf one; printf err >&2; sleep 0.1; printf two; printf "\\377\\000"; exit 3',
    label: 'prints',
  });
  const server = supervisor.start({
    command: 'echo listening; sleep 30',
    background: true,
    ready: { line: 'listening' },
    label: 'server',
  });
  await server.ready();
  const crashing = supervisor.start({
    command: 'echo up; sleep 0.05; exit 1',
    background: true,
    label: 'crashes',
    restart: { policy: 'transient', maxRestarts: 2, minBackoff: '50ms', maxBackoff: '80ms' },
  });
  const limited = supervisor.start({ command: 'sleep 30', background: true, maxBackgroundTime: '200ms' });
  const reading = supervisor.start({ command: 'read line; echo "got $line"', stdin: 'pipe' });
  const written = await reading.writeLine('hello');
  const work = supervisor.start({
    run: async ({ stdout }) => stdout('from a function\n'),
    label: 'function',
  });
  const missing = await supervisor.execute({ command: ['./no-such-program'] });
  await Promise.all([crashing.ended, limited.ended, reading.ended, work.ended]);
  await pause(stage, 50);
  const killed = await server.kill();
  // By command: two that end at nearly the same time may end in another order.
  const listed = supervisor.list().toSorted((a, b) => a.commandLine.localeCompare(b.commandLine));
  const views = listed.map(withoutMoments);
  const outputs = listed.map(({ id }) => supervisor.get(id)?.read({ format: 'raw' }).text);
  const timelines = listed.map(({ id }) =>
    supervisor
      .get(id)
      ?.timeline()
      .map(({ type, by, detail }) => ({ type, by, detail })),
  );
  await supervisor.shutdown();
  return {
    printed: printed.type,
    missing: missing.type,
    written,
    killed: killed.type,
    views,
    outputs,
    timelines,
  };
}

test('processes print, end, restart and stop in a replay as they were recorded', async () => {
  const { file, result } = await record('processes', runProcesses);
  const began = performance.now();
  const replayed = await replay(file, runProcesses);

  expect(replayed.result).toEqual(result);
  expect(replayed.unplayed).toEqual([]);
  expect(result.outputs.join()).toContain('one');
  expect(result).toMatchObject({
    printed: 'failed',
    missing: 'failed',
    killed: 'killed',
    written: { ok: true },
  });
  expect(result.views).toContainEqual(expect.objectContaining({ status: 'timed_out' }));
  expect(result.views).toContainEqual(expect.objectContaining({ label: 'crashes', restarts: 2 }));
  expect(result.views).toContainEqual(expect.objectContaining({ label: 'function', mode: 'in_process' }));
  // The recorded program waits for seconds, its replay for none.
  expect(performance.now() - began).toBeLessThan(3_000);
});

test('a terminal, its screen and the input that it waits for are replayed', async () => {
  const program = async (stage: Stage) => {
    const supervisor = stage.createSupervisor({ stateDirectory: false, terminal: 'pty' });
    const asking = supervisor.start({
      command: 'printf "Name: "; read -r name; echo "hi $name"; sleep 0.1; exit 5',
      interactive: true,
      background: true,
    });
    const waited = await asking.waitFor({ input: true, timeout: '10s' });
    const { awaitsInput } = asking.view();
    const before = await asking.capture();
    const typed = await asking.sendKeys({ text: 'Ada', pressEnter: true });
    const { status, exit } = await asking.ended;
    const after = await asking.capture();
    await supervisor.shutdown();
    const { since: _, ...awaited } = awaitsInput ?? { since: 0 };
    return { end: waited.end.type, awaited, before, typed, status, exit, after };
  };
  const { file, result } = await record('terminal', program);

  expect((await replay(file, program)).result).toEqual(result);
  expect(result).toMatchObject({ end: 'met', awaited: { kind: 'line', prompt: 'Name:' }, status: 'failed' });
  expect(result.before).toMatchObject({ ok: true, screen: { lines: expect.arrayContaining(['Name:']) } });
  expect(JSON.stringify(result.after)).toContain('hi Ada');
});

/** An agent whose background process ends while it is idle. */
const agent = (model: ChatModel | (() => ChatModel)) => async (stage: Stage) => {
  const supervisor = stage.createSupervisor({ stateDirectory: false });
  const conversation = createConversation({
    supervisor,
    id: 'checker',
    policy: { mode: 'auto' },
    clock: stage.clock,
    model: stage.wrapModel(model),
  });
  const answer = await conversation.say('Do the tests pass?');
  while (supervisor.list({ live: true }).length > 0) await pause(stage, 20);
  await conversation.idle();
  const transcript = conversation.transcript.map(({ at: _, ...message }) => message);
  await conversation.close();
  await supervisor.shutdown();
  return { answer, transcript };
};

const script = () =>
  createScriptedModel([
    { calls: [{ name: 'run_command', arguments: { command: 'echo 2 failed; exit 1' } }] },
    { calls: [{ name: 'start_process', arguments: { command: 'sleep 0.2; echo built; exit 4' } }] },
    (messages) => ({ text: `The build runs as ${/tool_\w+/.exec(messages.at(-1)?.text ?? '')?.[0]}.` }),
    { text: 'The build failed.' },
  ]);

test('a conversation has the same transcript, with the notice of its background process', async () => {
  const { file, result } = await record('agent', agent(script()));
  const { result: replayed } = await replay(
    file,
    agent(() => {
      throw new Error('A replay asks no model.');
    }),
  );

  expect(replayed).toEqual(result);
  expect(result.transcript.filter(({ role }) => role === 'notice')).toHaveLength(1);
  expect(result.answer).toMatchObject({
    type: 'answered',
    text: expect.stringMatching(/runs as tool_\w{8}/),
  });
});

test('a failure of the model is replayed with its retry', async () => {
  const { result, file } = await record(
    'retry',
    agent(createScriptedModel([new Error('overloaded'), { text: 'Yes.' }])),
  );
  const { result: replayed } = await replay(file, agent(script));
  expect(replayed).toEqual(result);
});

describe('A program that differs from the recorded one', () => {
  const run = (command: string) => async (stage: Stage) => {
    const supervisor = stage.createSupervisor({ stateDirectory: false });
    const result = await supervisor.execute({ command });
    await supervisor.shutdown();
    return result.type;
  };

  test('starts another command: the error names it', async () => {
    const { file } = await record('other', run('true'));
    await expect(replay(file, run('false'))).rejects.toThrow(
      /A tool was created after \d+ ms: false; this is not in the recording .*other\.jsonl/,
    );
  });

  test('kills what was not killed: the error names the process', async () => {
    const { file } = await record('unkilled', run('sleep 0.2'));
    const kill = async (stage: Stage) => {
      const supervisor = stage.createSupervisor({ stateDirectory: false });
      const handle = supervisor.start({ command: 'sleep 0.2' });
      await pause(stage, 50);
      await handle.kill();
    };
    await expect(replay(file, kill)).rejects.toThrow(/tool_\w+ got tree\.end SIGTERM in attempt 1/);
  });

  test('kills later: the end follows the kill', async () => {
    const kill = (ms: number) => async (stage: Stage) => {
      const supervisor = stage.createSupervisor({ stateDirectory: false });
      const handle = supervisor.start({ command: 'sleep 30' });
      await pause(stage, ms);
      await handle.kill();
      const { runtimeMs, status } = (await handle.ended) as FinalView;
      await supervisor.shutdown();
      return { runtimeMs, status };
    };
    const { file } = await record('later', kill(50));
    const { result } = await replay(file, kill(5_000));
    expect(result.status).toBe('killed');
    expect(result.runtimeMs).toBeGreaterThan(2_000);
  });

  test('a recording with the older name of a kill is replayed', async () => {
    const kill = async (stage: Stage) => {
      const supervisor = stage.createSupervisor({ stateDirectory: false });
      const handle = supervisor.start({ command: 'sleep 30' });
      await pause(stage, 50);
      const { type } = await handle.kill();
      await supervisor.shutdown();
      return type;
    };
    const { file } = await record('older', kill);
    const text = readFileSync(file, 'utf8');
    const older = text.replaceAll('"tree.end"', '"process.signal"');
    writeFileSync(file, older);

    const { result } = await replay(file, kill);

    expect(older).not.toBe(text);
    expect(result).toBe('killed');
  });

  test('asks the model more often: the error counts the request', async () => {
    const { file } = await record('asks', agent(createScriptedModel([{ text: 'Yes.' }])));
    const twice = async (stage: Stage) => {
      await agent(script)({ ...stage, wrapModel: (model) => askTwice(stage.wrapModel(model)) });
    };
    await expect(replay(file, twice)).rejects.toThrow(/Request 2 was sent to model 1/);
  });

  test('does less: the rest is named', async () => {
    const { file } = await record('less', agent(script()));
    const { unplayed } = await replay(file, async () => 'nothing');
    expect(unplayed).toContainEqual(
      expect.stringMatching(/^tool_\w+ \(.*echo 2 failed.*\) did not begin attempt 1\.$/),
    );
    expect(unplayed).toContain('Model 1 did not get request 4.');
  });

  test('waits for what never comes: the error says since when nothing happens', async () => {
    const { file } = await record('waits', run('true'));
    await expect(replay(file, () => new Promise(() => {}))).rejects.toThrow(/still waits at \d+ ms/);
  });
});

function askTwice(model: ChatModel): ChatModel {
  return {
    name: model.name,
    stream: async function* (request) {
      for await (const _ of model.stream(request));
      yield* model.stream(request);
    },
  };
}

describe('A recording', () => {
  const failing = async (stage: Stage) => {
    const supervisor = stage.createSupervisor({ stateDirectory: false });
    const { type } = await supervisor.execute({
      command: 'echo hidden $KEY; exit 2',
      secrets: { KEY: 'k3y-0f-a-user' },
    });
    await supervisor.shutdown();
    return type;
  };

  test('keeps no secret', async () => {
    const { file } = await record('secret', failing);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('hidden [redacted]');
    expect(text).not.toContain('k3y-0f-a-user');
    expect((await replay(file, failing)).result).toBe('failed');
  });

  test('is replayed up to the place where it was cut off, and says so', async () => {
    const { file } = await record('cut', failing);
    const lines = readFileSync(file, 'utf8').split('\n');
    const exit = lines.findIndex((line) => line.includes('process.exited'));
    truncateSync(file, lines.slice(0, exit).join('\n').length + 5);
    await expect(replay(file, failing)).rejects.toThrow(/The recording was cut off after \d+ ms/);
  });

  test('is refused with the reason if damaged, foreign or of a later version', async () => {
    const { file } = await record('damaged', failing);
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [lines[0], '{"type":"fact"}', ...lines.slice(2)].join('\n'));
    await expect(replay(file, failing)).rejects.toThrow(/damaged in line 2: .*Record again/);

    writeFileSync(file, '{"type":"recording","version":2,"epochMs":0}\n');
    await expect(replay(file, failing)).rejects.toThrow(/has version 2, and this troupe reads version 1/);

    writeFileSync(file, 'shopping list\n');
    await expect(replay(file, failing)).rejects.toThrow(/is no recording: its first line is "shopping list"/);
    expect(() => createRecorder({ file })).toThrow(/exists and is no recording. It was not changed/);
    expect(readFileSync(file, 'utf8')).toBe('shopping list\n');

    await expect(replay(toFile('missing'), failing)).rejects.toThrow(/cannot be read: .*ENOENT/);
  });

  test('is refused with the reason after a persistent process', async () => {
    const { file } = await record('persistent', async (stage) => {
      const supervisor = stage.createSupervisor({ stateDirectory: join(directory, 'state') });
      const handle = supervisor.start({ command: 'true', background: true, lifetime: 'persistent' });
      await handle.ended;
      await supervisor.shutdown();
    });
    await expect(replay(file, failing)).rejects.toThrow(/was not recorded, because it is persistent/);
  });

  test('is replaced by the next one of that name, and complete after each line', async () => {
    const file = toFile('again');
    for (const _ of [1, 2]) {
      const recorder = createRecorder({ file });
      await failing(recorder);
      expect(readFileSync(file, 'utf8')).toMatch(/process\.exited.*\n$/s);
      recorder.close();
    }
    expect(readFileSync(file, 'utf8').match(/"type":"recording"/g)).toHaveLength(1);
    appendFileSync(file, '{"type":');
    expect((await replay(file, failing)).result).toBe('failed');
  });
});
