import { firstValueFrom } from 'rxjs';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Ask } from '../../src/policy/authorize.ts';
import { createGrants } from '../../src/policy/grant.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { NoticeDelivery } from '../../src/tools/tool.ts';
import { createToolHost, type ToolCallOptions } from '../../src/tools/tool-host.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { arrange, dataOf, errorOf, turns, untilRuns } from './arrange.ts';

const check = (process_id: string) => ({ name: 'check_process', input: { process_id } });
const start = (command: string) => ({ name: 'start_process', input: { command } });

/** A host with one process in the background. */
async function arrangeBackground() {
  const given = arrange();
  const host = given.host();
  const { answer } = await host.call(start('make'));
  const id: string = dataOf(answer).process_id;
  return {
    ...{ given, host, id, completion: `${id}/1/ended` },
    wait: (options?: ToolCallOptions) => host.call({ name: 'wait_for', input: { process_id: id } }, options),
    [Symbol.asyncDispose]: () => given[Symbol.asyncDispose](),
  };
}

test('a host tells a background end once', async () => {
  await using made = await arrangeBackground();
  const { host, given, completion } = made;

  given.backend.lastRun.exit({ code: 3 });
  await turns();
  const notice = host.take();
  host.delivered(notice?.ids ?? []);

  expect(notice?.ids).toEqual([completion]);
  expect(notice?.text).toContain('status="failed"');
  expect(host.take()).toBeNull();
});

test('a process names the call that started it', async () => {
  await using given = arrange();
  const host = given.host();

  await host.call({ id: 'call_7', ...start('make') });
  await host.call(start('lint'));

  expect(given.supervisor.list().map(({ tool, callId }) => [tool, callId])).toEqual([
    ['start_process', 'call_7'],
    ['start_process', null],
  ]);
});

test('a host repeats a notice until it is delivered', async () => {
  await using made = await arrangeBackground();
  made.given.backend.lastRun.exit({ code: 0 });
  await turns();

  const [first, second] = [made.host.take(), made.host.take()];

  expect(first?.ids).toEqual([made.completion]);
  expect(second).toEqual(first);
});

test('a host does not tell an end that a recorded answer shows', async () => {
  await using made = await arrangeBackground();
  made.given.backend.lastRun.exit({ code: 0 });
  await turns();

  await made.host.call(check(made.id));

  expect(made.host.take()).toBeNull();
});

test('a host tells an end although a dropped answer shows it', async () => {
  await using made = await arrangeBackground();
  made.given.backend.lastRun.exit({ code: 0 });
  await turns();

  (await made.host.call(check(made.id))).dropped();

  expect(made.host.take()?.ids).toEqual([made.completion]);
});

test('a dropped answer cannot be recorded later', async () => {
  await using made = await arrangeBackground();
  made.given.backend.lastRun.exit({ code: 0 });
  await turns();

  const call = await made.host.call(check(made.id));
  call.dropped();
  call.recorded();

  expect(made.host.take()?.ids).toEqual([made.completion]);
});

test('a host drops the answer of an aborted call', async () => {
  await using made = await arrangeBackground();
  const abort = new AbortController();
  const waiting = made.wait({ signal: abort.signal });
  await turns();
  made.given.backend.lastRun.exit({ code: 0 });
  await turns();
  abort.abort();
  await waiting;

  expect(made.host.take()?.ids).toEqual([made.completion]);
});

test('a host keeps an end back while a call waits for it', async () => {
  await using made = await arrangeBackground();
  const { host, given } = made;
  const waiting = made.wait();
  await turns();

  given.backend.lastRun.exit({ code: 0 });
  await turns();
  const during = host.take();
  const { answer } = await waiting;

  expect(during).toBeNull();
  expect(dataOf(answer)).toMatchObject({ status: 'completed' });
  expect(host.take()).toBeNull();
});

test('a host keeps an end back while a call uses the process', async () => {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const look = defineTool({
    name: 'look',
    description: 'Looks at a process.',
    input: z.strictObject({ id: z.string() }),
    execute: async ({ id }, { supervisor }) => {
      supervisor.get(id);
      await finished;
      return { ok: true, data: null };
    },
  });
  await using given = arrange();
  const host = given.host({ tools: [look] });
  const { id } = given.start('make');
  const looking = host.call({ name: 'look', input: { id } });
  await turns();

  given.backend.lastRun.exit();
  await turns();
  const during = host.take();
  finish();
  await looking;

  expect(during).toBeNull();
  expect(host.take()?.ids).toEqual([`${id}/1/ended`]);
});

test('an answer is confirmed once', async () => {
  const onRecorded = vi.fn();
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.strictObject({}),
    execute: async () => ({ ok: true, data: null, onRecorded }),
  });
  await using given = arrange();
  const host = given.host({ tools: [look] });

  const first = await host.call({ name: 'look', input: {} });
  const second = await host.call({ name: 'look', input: {} });
  first.recorded();
  second.dropped();

  expect(onRecorded).toHaveBeenCalledTimes(1);
});

test('a call that follows confirms what the one before has read', async () => {
  await using made = await arrangeBackground();
  const read = () =>
    made.host.call({ name: 'get_process_output', input: { process_id: made.id, since_last_read: true } });
  made.given.backend.lastRun.print('1\n');

  const [first, second] = [await read(), await read()];

  expect(dataOf(first.answer).output).toBe('1\n');
  expect(dataOf(second.answer).output).toBe('');
});

test('a call that follows confirms nothing that an aborted call has read', async () => {
  await using made = await arrangeBackground();
  const abort = new AbortController();
  const read = (signal?: AbortSignal) =>
    made.host.call(
      { name: 'get_process_output', input: { process_id: made.id, since_last_read: true } },
      { signal },
    );
  made.given.backend.lastRun.print('1\n');

  await read(abort.signal);
  abort.abort();
  const [again, recorded] = [await read(abort.signal), await read()];
  recorded.recorded();
  const after = await read();

  expect([again, recorded, after].map(({ answer }) => dataOf(answer).output)).toEqual(['1\n', '1\n', '']);
});

test('a call that only waits answers when its wait is aborted', async () => {
  await using made = await arrangeBackground();
  const wait = new AbortController();
  const running = made.host.call(
    { name: 'run_command', input: { command: 'lint' } },
    { waitSignal: wait.signal },
  );
  const waiting = made.wait({ waitSignal: wait.signal });
  await turns();

  wait.abort();
  const { answer } = await waiting;

  expect(dataOf(answer)).toMatchObject({ status: 'backgrounded' });
  expect(await Promise.race([running, 'it still runs'])).toBe('it still runs');
});

test('an abandoned call answers with the reason', async () => {
  await using made = await arrangeBackground();
  const abandon = new AbortController();
  const waiting = made.wait({ abandonSignal: abandon.signal });
  await turns();

  abandon.abort(new Error('The client left.'));

  expect(errorOf((await waiting).answer)).toBe('The client left.');
});

test('a host is due when a process ends in the background', async () => {
  await using made = await arrangeBackground();
  const due = firstValueFrom(made.host.due$);

  made.given.backend.lastRun.exit({ code: 0 });
  await turns();

  await expect(due).resolves.toBeUndefined();
});

/** Returns a function that opens a host on a new supervisor of the same directory. */
function openHosts() {
  const directory = openDirectoryHarness();
  return () => {
    const { supervisor, backend, clock } = directory.open();
    const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'dangerous' } });
    /** Leaves what SIGKILL leaves, once what is known was written down. */
    const crash = () => {
      clock.advance(100);
      directory.crash(supervisor);
    };
    return { backend, host, crash };
  };
}

test('a notice comes again after a crash unless it was delivered', async () => {
  const open = openHosts();
  const first = open();
  await first.host.call(start('make'));
  first.backend.lastRun.exit();
  await turns();
  const taken = first.host.take();
  first.crash();

  const second = open();
  const again = second.host.take();
  second.host.delivered(again?.ids ?? []);
  second.crash();
  const third = open();

  expect(again?.ids).toHaveLength(1);
  expect(again?.ids).toEqual(taken?.ids);
  expect(third.host.take()).toBeNull();
});

test('an end that a crash has lost is told once', async () => {
  const open = openHosts();
  const first = open();
  await first.host.call(start('make'));
  first.crash();

  const second = open();
  const again = second.host.take();
  second.host.delivered(again?.ids ?? []);
  second.crash();
  const third = open();

  expect(again?.text).toContain('status="lost"');
  expect(third.host.take()).toBeNull();
});

test('a host decides without making the call', async () => {
  await using given = arrange();
  const host = given.host({ policy: { mode: 'default' } });
  const planning = given.host({ policy: { mode: 'auto' } });

  const asked = await host.decide({ id: 'call_1', name: 'run_command', input: { command: 'make' } });
  const denied = await planning.decide({ name: 'run_command', input: { command: 'rm -rf /' } });
  const invalid = await host.decide({ name: 'run_command', input: '{' });

  expect(asked).toEqual({
    type: 'ask',
    question: expect.objectContaining({ tool: 'run_command', callId: 'call_1' }),
  });
  expect(denied).toMatchObject({ type: 'deny', reason: expect.stringContaining('Denied') });
  expect(invalid).toEqual({ type: 'allow' });
  expect(given.backend.runs).toEqual([]);
});

test('consent given before a call covers a question and no denial', async () => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.exit();
    },
  });
  const host = given.host({ policy: { mode: 'default' } });
  const ask = async () => true;

  const allowed = await host.call({ name: 'run_command', input: { command: 'make' } }, { ask });
  const unasked = await host.call({ name: 'run_command', input: { command: 'make' } });
  const denied = await host.call({ name: 'run_command', input: { command: 'rm -rf /' } }, { ask });

  expect(allowed.answer.ok).toBe(true);
  expect(errorOf(unasked.answer)).toContain('no person to ask');
  expect(errorOf(denied.answer)).toContain('Denied');
});

const make = { name: 'run_command', input: { command: 'make' } };

test('a host asks in the name of its agent, and a call without a person does not', async () => {
  const ask = vi.fn<Ask>(async () => false);
  await using given = arrange();
  const host = given.host({ policy: { mode: 'default' }, ask, agent: 'builder' });

  const asked = await host.call({ id: 'call_1', ...make });
  const unasked = await host.call(make, { ask: null });

  expect(errorOf(asked.answer)).toContain('did not consent');
  expect(errorOf(unasked.answer)).toContain('no person to ask');
  expect(ask.mock.calls.map(([{ agent, callId }]) => [agent, callId])).toEqual([['builder', 'call_1']]);
});

test('hosts that share grants ask once', async () => {
  const ask = vi.fn<Ask>(async () => 'always');
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.exit();
    },
  });
  const grants = createGrants();
  const [first, second, other] = [grants, grants, undefined].map((shared) =>
    given.host({ policy: { mode: 'default' }, ask, grants: shared }),
  );

  await first?.call(make);

  expect(await second?.decide(make)).toEqual({ type: 'allow' });
  expect(await other?.decide(make)).toMatchObject({ type: 'ask' });
  expect(ask).toHaveBeenCalledTimes(1);
});

test('hosts without an owner do not share a mailbox', async () => {
  await using given = arrange();
  const [first, second] = [given.host({ owner: undefined }), given.host({ owner: undefined })];
  await first.call(start('make'));

  given.backend.lastRun.exit();
  await turns();

  expect(second.take()).toBeNull();
  expect(first.take()?.ids).toHaveLength(1);
});

test('a host starts nothing for consent that comes after its end', async () => {
  const { promise: consent, resolve: give } = Promise.withResolvers<boolean>();
  await using given = arrange();
  const host = given.host({ policy: { mode: 'default' }, ask: () => consent });
  const waiting = host.call(make);
  await turns();

  await host.close();
  give(true);
  await turns();

  expect(errorOf((await waiting).answer)).toBe('The tools were closed before there was an answer.');
  expect(given.backend.runs).toEqual([]);
});

test('a closed host abandons its calls and starts nothing', async () => {
  await using given = arrange();
  const host = given.host();
  const waiting = host.call({ name: 'run_command', input: { command: 'make' } });
  await untilRuns(given, 1);

  await host.close();
  const late = await host.call(start('make'));

  expect(errorOf((await waiting).answer)).toContain('closed');
  expect(errorOf(late.answer)).toContain('closed');
  expect(given.backend.runs).toHaveLength(1);
  expect(given.supervisor.list({ live: true })).toHaveLength(1);
});

test('a closed host has told the ends that its answers show', async () => {
  await using made = await arrangeBackground();
  made.given.backend.lastRun.exit({ code: 0 });
  await turns();

  await made.host.call(check(made.id));
  await made.host.close();

  expect(made.given.host().take()).toBeNull();
});

test('a closed host leaves what waits to the next one', async () => {
  await using made = await arrangeBackground();
  made.given.backend.lastRun.exit({ code: 0 });
  await turns();
  await made.host.close();

  const next = made.given.host();

  expect(next.take()?.ids).toEqual([made.completion]);
});

const deliveries: readonly NoticeDelivery[] = ['wake', 'next-step', 'next-answer', 'none'];

test.for(deliveries)('descriptions and answers promise the notice that comes: %s', async (notices) => {
  await using given = arrange();
  const host = given.host({ notices });
  const described = Object.fromEntries(host.tools.map(({ name, description }) => [name, description]));
  const words = {
    wake: [/A notice reports its end/, /You will get a notice when it ends/],
    'next-step': [/notice with your next step reports/, /notice of its end comes with your next step/],
    'next-answer': [/next answer of any of these tools/, /Nothing wakes you/],
    none: [/No notice reports its end/, /You get no notice/],
  }[notices];

  const { answer } = await host.call(start('serve'));

  for (const name of ['run_command', 'start_process']) expect(described[name]).toMatch(words[0] as RegExp);
  expect(dataOf(answer).message).toMatch(words[1] as RegExp);
});

test('a call tells which processes it uses', async () => {
  await using made = await arrangeBackground();
  const used: string[] = [];

  const onProcess = ({ id }: { id: string }) => used.push(id);
  await made.host.call(check(made.id), { onProcess });
  const started = await made.host.call(start('lint'), { onProcess });

  expect(new Set(used)).toEqual(new Set([made.id, dataOf(started.answer).process_id]));
});

test('the text of an answer holds nothing that resembles a notice', async () => {
  await using given = arrange();
  const echo = defineTool({
    name: 'echo',
    description: 'Repeats.',
    input: z.strictObject({ text: z.string() }),
    execute: async ({ text }) => ({ ok: true, data: text }),
  });
  const host = given.host({ tools: [echo] });

  const { text } = await host.call({ name: 'echo', input: { text: '<process_notice>' } });

  expect(text).toBe('{"ok":true,"data":"&lt;process_notice>"}');
});

test('a host rejects an option that does not exist', async () => {
  await using given = arrange();

  expect(() => given.host({ polcy: {} } as never)).toThrow(/createToolHost: .*"polcy"/);
});
