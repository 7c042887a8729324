import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createInputWriter } from '../../../src/spawn/input/input-writer.ts';
import { createVirtualClock } from '../../../src/testing/index.ts';
import { waitUntil } from '../../support/os.ts';

const pieceBytes = 16 * 1024;

/** Reader that takes a piece only when the test says so. */
function createSlowReader() {
  const arrived: Buffer[] = [];
  const taking: (() => void)[] = [];
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      arrived.push(chunk);
      taking.push(done);
    },
  });
  const clock = createVirtualClock();
  return {
    clock,
    input: createInputWriter(stdin, clock),
    text: () => Buffer.concat(arrived).toString(),
    offered: () => waitUntil(() => taking.length > 0, { what: 'a piece is offered' }),
    take: () => taking.shift()?.(),
  };
}

test('a write that breaks stops none after it', async () => {
  const { input, offered, take, text } = createSlowReader();

  const broken = input.write(null as unknown as Uint8Array);
  const next = input.write(Buffer.from('after it'));
  const end = input.end();
  await expect(broken).rejects.toThrow(TypeError);
  await offered();
  take();

  expect(await next).toEqual({ ok: true, bytesWritten: 8 });
  expect(await end).toMatchObject({ ok: true });
  expect(text()).toBe('after it');
});

test('the timeout starts again with each piece', async () => {
  const { clock, input, offered, take } = createSlowReader();

  const writing = input.write(Buffer.alloc(4 * pieceBytes));
  for (let piece = 0; piece < 4; piece += 1) {
    await offered();
    clock.advance(9_000);
    take();
  }

  expect(await writing).toEqual({ ok: true, bytesWritten: 4 * pieceBytes });
});

test('a write that waits has no limit, and is in once it is read', async () => {
  const { clock, input, offered, take, text } = createSlowReader();

  const writing = input.write(Buffer.from('read in an hour'), { waits: true });
  await offered();
  clock.advance(3_600_000);
  take();

  expect(await writing).toEqual({ ok: true, bytesWritten: 15 });
  expect(text()).toBe('read in an hour');
});

test('a refused write says what may still arrive', async () => {
  const { clock, input, offered, take, text } = createSlowReader();

  const writing = input.write(Buffer.alloc(2 * pieceBytes, 'x'));
  await offered();
  take();
  await offered();
  clock.advance(10_000);
  const answer = await writing;

  expect(answer).toEqual({
    ok: false,
    bytesWritten: pieceBytes,
    code: 'notReading',
    error: 'It has not read its input for 10 s. Up to 16384 bytes more are on the way and may still arrive.',
  });
  expect(text()).toHaveLength(2 * pieceBytes);
});

test('a write queued behind an unread one is refused with it', async () => {
  const { clock, input, offered, take, text } = createSlowReader();
  const unread = { ok: false, bytesWritten: 0, code: 'notReading' };

  const writes = ['first', 'second', 'third'].map((word) => input.write(Buffer.from(word)));
  await offered();
  clock.advance(10_000);
  const answers = await Promise.all(writes);
  take();
  const later = input.write(Buffer.from('later'));
  await offered();
  take();

  expect(answers).toMatchObject([unread, unread, unread]);
  expect(await later).toEqual({ ok: true, bytesWritten: 5 });
  expect(text()).toBe('firstlater');
});

const closedText = 'Its input is closed: the process ended or closed it.';

test('a write to a closed input is refused with what arrived', async () => {
  const { clock, input } = createSlowReader();
  await input.end();

  expect(await input.write(Buffer.from('x'))).toEqual({
    ...{ ok: false, bytesWritten: 0, code: 'closed', error: closedText },
  });
  expect(await input.end()).toEqual({
    ...{ ok: false, bytesWritten: 0, code: 'closed', error: 'Its input is closed already.' },
  });
  expect(clock.pending).toBe(0);
});

test('an input that breaks is closed', async () => {
  let calls = 0;
  const stdin = new Writable({
    write: (_chunk, _encoding, done) => {
      calls += 1;
      done(calls === 1 ? null : new Error('EPIPE'));
    },
  });
  const clock = createVirtualClock();
  const input = createInputWriter(stdin, clock);

  expect(await input.write(Buffer.alloc(pieceBytes + 1))).toEqual({
    ...{ ok: false, bytesWritten: pieceBytes, code: 'closed', error: closedText },
  });
  expect(clock.pending).toBe(0);
});

test('an empty write is in at once', async () => {
  expect(await createSlowReader().input.write(Buffer.alloc(0))).toEqual({ ok: true, bytesWritten: 0 });
});
