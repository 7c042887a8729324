import { expect, test } from 'vitest';
import { z } from 'zod';
import type { MailboxReader } from '../../src/mailbox/mailbox.ts';
import type { MailboxEntry } from '../../src/mailbox/mailbox-entry.ts';
import type { Withdrawal } from '../../src/mailbox/mailbox-state.ts';
import { Mailboxes } from '../../src/mailbox/mailboxes.ts';
import type { NoticePart } from '../../src/mailbox/notice-part.ts';
import { createNoticeLog } from '../../src/mcp/notice-log.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { openToolHost } from '../../src/tools/tool-host.ts';

/** The notices of a client, its host, and the mailbox behind them. */
function open(onChange: () => void = () => {}) {
  const mailboxes = new Mailboxes({
    find: () => undefined,
    list: () => [],
    onDropped: () => {},
    onReaderError: (error) => {
      throw error;
    },
  });
  const supervisor = {
    cwd: '/',
    mailbox: (owner: string, reader: MailboxReader) => mailboxes.open(owner, reader),
    get: (id: string) => ({ id }),
  };
  const calls = new Map<string, Call>();
  const host = openToolHost({
    supervisor: supervisor as never,
    tools: [createCallTool(calls)],
    mailbox: () => log.reader,
  });
  const log = createNoticeLog({ isInUse: host.isInUse, onChange });
  return {
    add: host.mailbox.add,
    withdraw: (withdrawal: Withdrawal) => mailboxes.withdraw(withdrawal),
    takeForLog: () => log.take(),
    /** Opens a call that looks at a process and lasts until it is answered or dropped. */
    openCall: async (look?: string) => {
      const id = `call_${calls.size}`;
      const call: Call = { look, started: Promise.withResolvers(), reveals: Promise.withResolvers() };
      calls.set(id, call);
      const running = host.call({ name: 'call', input: { id } });
      await call.started.promise;
      const end = async (reveals: readonly string[]) => {
        call.reveals.resolve(reveals);
        return running;
      };
      return {
        answered: async (reveals: readonly string[] = []) => {
          (await end(reveals)).recorded();
          log.delivered(reveals);
          const notice = host.take();
          if (notice !== null) host.delivered(notice.ids);
          log.callEnded();
          return notice?.text ?? null;
        },
        dropped: async () => {
          (await end([])).dropped();
          log.callEnded();
        },
      };
    },
  };
}

interface Call {
  readonly look: string | undefined;
  readonly started: PromiseWithResolvers<void>;
  readonly reveals: PromiseWithResolvers<readonly string[]>;
}

function createCallTool(calls: ReadonlyMap<string, Call>) {
  return defineTool({
    name: 'call',
    description: 'Looks at a process and waits.',
    input: z.strictObject({ id: z.string() }),
    execute: async ({ id }, { supervisor }) => {
      const { look, started, reveals } = calls.get(id) as Call;
      if (look !== undefined) supervisor.get(look);
      started.resolve();
      return { ok: true, data: null, reveals: await reveals.promise };
    },
  });
}

const notice = (id: string, part: NoticePart): MailboxEntry => ({
  kind: 'notice',
  id,
  attention: 'turn',
  part,
});

/** The end of a process, as far as a notice tells it. */
function end(processId: string): MailboxEntry {
  return notice(`${processId}/1/ended`, {
    type: 'ended',
    id: processId,
    label: null,
    status: 'failed',
    code: 1,
    signal: null,
    runtimeMs: 5,
    command: 'make',
    end: 'exited with code 1',
    leftovers: [],
    ports: [],
    logFile: null,
    outputBytes: 0,
    unreadBytes: 0,
    tail: '',
    answer: null,
  });
}

test('a running call alone tells the end of a process that it looks at', async () => {
  const box = open();
  const [own, other] = [await box.openCall('tool_a'), await box.openCall()];
  box.add(end('tool_a'));

  const [toldByOther, log] = [await other.answered(), box.takeForLog()];
  const toldByOwn = await own.answered();

  expect([toldByOther, log]).toEqual([null, null]);
  expect(toldByOwn).toContain('tool_a');
});

test('an end that a call shows is neither told nor logged', async () => {
  const box = open();
  const call = await box.openCall('tool_a');
  box.add(end('tool_a'));

  const told = await call.answered(['tool_a/1/ended']);

  expect([told, box.takeForLog(), await (await box.openCall()).answered()]).toEqual([null, null, null]);
});

test('an end that is shown before it arrives is not told', async () => {
  const box = open();
  await (await box.openCall()).answered(['tool_a/1/ended']);

  box.add(end('tool_a'));

  expect(await (await box.openCall()).answered()).toBe(null);
});

test('a dropped answer delivers nothing', async () => {
  const box = open();
  const call = await box.openCall('tool_a');
  box.add(end('tool_a'));

  await call.dropped();

  expect(box.takeForLog()).toMatchObject({ ids: ['tool_a/1/ended'], isBad: true });
  expect(await (await box.openCall()).answered()).toContain('tool_a');
});

test('a log for people delivers nothing to the model', async () => {
  let changes = 0;
  const box = open(() => {
    changes += 1;
  });
  box.add(end('tool_a'));

  const [first, second] = [box.takeForLog(), box.takeForLog()];

  expect([first?.ids.length, second, changes]).toEqual([1, null, 1]);
  expect(await (await box.openCall()).answered()).toContain('tool_a');
});

test('an end replaces the silence before it', async () => {
  const box = open();
  const run = { id: 'tool_a', label: null, runtimeMs: 5, outputBytes: 0, command: 'make' };
  box.add(notice('tool_a/1/silent/7', { type: 'silent', ...run }));

  box.add(end('tool_a'));

  expect(await (await box.openCall()).answered()).not.toContain('printed nothing');
});

test('matched lines are reported together with the end', async () => {
  const box = open();
  const process = { id: 'tool_a', label: null, command: 'make' };
  const quiet = { type: 'quiet', ...process, quietMs: 5_000, isScreen: false, lines: [] } as const;
  const lines = ['a line with x'];
  box.add(notice('tool_a/1/quiet/7', quiet));
  box.add(notice('tool_a/1/matched/8', { type: 'matched', ...process, pattern: 'x', matches: 1, lines }));

  box.add(end('tool_a'));

  const told = await (await box.openCall()).answered();
  expect(told).not.toContain('printed nothing');
  expect(told).toContain('a line with x');
});

const due = (count: number): MailboxEntry =>
  notice(`schedule_a/${count}`, {
    type: 'due',
    scheduleId: 'schedule_a',
    message: 'Look at the build.',
    everyMs: 1_000,
    processId: 'tool_a',
    missed: 0,
  });

test('the newest reminder of a schedule replaces the others and counts them', async () => {
  const box = open();
  for (let count = 1; count <= 8; count += 1) box.add(due(count));

  const [log, told] = [box.takeForLog(), await (await box.openCall()).answered()];

  expect(log?.ids).toEqual(['schedule_a/8']);
  expect(told?.match(/<schedule /g)).toHaveLength(1);
  expect(told).toContain('missed="7"');
});

test.for([
  { of: 'schedule', id: 'schedule_a' },
  { of: 'process', id: 'tool_a' },
] as const)('a reminder withdrawn with its $of is neither told nor logged', async (withdrawal) => {
  const box = open();
  box.add(due(1));

  box.withdraw(withdrawal);

  expect([box.takeForLog(), await (await box.openCall()).answered()]).toEqual([null, null]);
});

test('a reminder is reported once with the next answer', async () => {
  const box = open();
  box.add(due(1));
  box.add(due(1));

  expect(await (await box.openCall()).answered()).toContain('Look at the build.');
  box.add(due(1));
  expect(await (await box.openCall()).answered()).toBe(null);
});
