import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { InputFeed } from '../../src/process/input-feed.ts';

const neverAborted = new AbortController().signal;

/** Stdin that keeps what it gets; `room` is the number of writes that it accepts. */
function createStdin({ room = Number.POSITIVE_INFINITY } = {}) {
  const state = { text: '', writes: 0, hasEnded: false };
  return {
    state,
    write: async (data: string | Uint8Array) => {
      state.writes += 1;
      if (state.writes > room)
        return { ok: false, bytesWritten: 0, code: 'closed', error: 'closed' } as const;
      state.text += Buffer.from(data as string).toString();
      return { ok: true, bytesWritten: data.length } as const;
    },
    end: async () => {
      state.hasEnded = true;
      return { ok: true, bytesWritten: 0 } as const;
    },
  };
}

async function* generate(chunks: readonly string[]) {
  yield* chunks;
}

test.each([
  ['text', 'one two', 'one two'],
  ['bytes', Buffer.from('one two'), 'one two'],
  ['empty text', '', ''],
  ['a generator', generate(['one ', 'two']), 'one two'],
  ['a web stream', ReadableStream.from([Buffer.from('one '), Buffer.from('two')]), 'one two'],
  ['a Node stream', Readable.from(['one ', Buffer.from('two')]), 'one two'],
])('%s is written, then stdin is ended', async (_, source, text) => {
  const stdin = createStdin();

  await new InputFeed(source).feed(stdin, neverAborted);

  expect(stdin.state).toMatchObject({ text, hasEnded: true });
});

test('text is written to every attempt, a stream to the first only', async () => {
  const text = new InputFeed('again');
  const stream = new InputFeed(generate(['once']));
  const [first, second] = [createStdin(), createStdin()];

  for (const stdin of [first, second]) {
    await text.feed(stdin, neverAborted);
    await stream.feed(stdin, neverAborted);
  }

  expect(first.state.text).toBe('againonce');
  expect(second.state).toMatchObject({ text: 'again', hasEnded: true });
});

test('a stream is read no faster than stdin takes it', async () => {
  let pulled = 0;
  const source = (async function* () {
    for (;;) {
      pulled += 1;
      yield 'x';
    }
  })();
  const open = Promise.withResolvers<never>();
  const stdin = { ...createStdin(), write: () => open.promise };

  void new InputFeed(source).feed(stdin, neverAborted);
  await new Promise(setImmediate);

  expect(pulled).toBe(1);
});

test('a closed stdin cancels the stream', async () => {
  let reason = 'open';
  const source = new ReadableStream<string>({
    pull: (controller) => controller.enqueue('x'),
    cancel: () => {
      reason = 'cancelled';
    },
  });
  const stdin = createStdin({ room: 1 });

  await new InputFeed(source).feed(stdin, neverAborted);

  expect(reason).toBe('cancelled');
  expect(stdin.state).toMatchObject({ text: 'x', hasEnded: false });
});

test.each(['web', 'Node'])(
  'the end of an attempt cancels a %s stream that has nothing to read',
  async (kind) => {
    const cancelled = Promise.withResolvers<void>();
    const source =
      kind === 'web'
        ? new ReadableStream<string>({ cancel: () => cancelled.resolve() })
        : new Readable({ read: () => {}, destroy: () => cancelled.resolve() });
    const attempt = new AbortController();
    const stdin = createStdin();
    void new InputFeed(source).feed(stdin, attempt.signal);

    attempt.abort();
    await cancelled.promise;

    expect(stdin.state).toMatchObject({ writes: 0, hasEnded: false });
  },
);

test('a stream that was never read is cancelled at the end', async () => {
  const source = Readable.from(['x']);

  new InputFeed(source).close();

  expect(source.destroyed).toBe(true);
});

test('a failing stream rejects and leaves stdin open', async () => {
  const stdin = createStdin();
  const source = Readable.from(
    (async function* () {
      yield 'part';
      throw new Error('disk gone');
    })(),
  );

  await expect(new InputFeed(source).feed(stdin, neverAborted)).rejects.toThrow('disk gone');
  expect(stdin.state).toMatchObject({ text: 'part', hasEnded: false });
});

test('a stream that fails before it is read fails when it is read', async () => {
  const source = new Readable({ read: () => {} });
  const feed = new InputFeed(source);
  source.destroy(new Error('missing'));
  await new Promise(setImmediate);

  await expect(feed.feed(createStdin(), neverAborted)).rejects.toThrow('missing');
});

test('a chunk that is neither text nor bytes is an error', async () => {
  const source = Readable.from([{ row: 1 }]);

  await expect(new InputFeed(source).feed(createStdin(), neverAborted)).rejects.toThrow(
    /chunk of type object/,
  );
});
