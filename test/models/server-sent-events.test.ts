import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents } from '../../src/models/server-sent-events.ts';

const read = (chunks: readonly (string | Uint8Array)[]) => Array.fromAsync(readEvents(streamOf(chunks)));

async function* streamOf(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

test.each([
  ['line feeds', 'data: a\n\ndata: b\n\n', ['a', 'b']],
  ['carriage returns and line feeds', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['carriage returns', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['comments', ': hello\n\ndata: a\n: there\n\n', ['a']],
  ['other fields', 'event: x\nid: 1\ndata: a\nretry: 5\n\n', ['a']],
  ['no space', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
  ['several lines', 'data: a\ndata: b\n\n', ['a\nb']],
  ['an empty field', 'data\n\n', ['']],
  ['a longer name', 'database: a\n\n', []],
  ['no empty line at the end', 'data: a\n\ndata: b\n', ['a', 'b']],
  ['half a line at the end', 'data: a\n\ndata: b', ['a']],
  ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
])('reads %s', async (_, text, events) => {
  expect(await read([text])).toEqual(events);
});

test('any cut between bytes reads the same', async () => {
  const bytes = Buffer.from(': ü\r\ndata: {"a":"日本 🎭"}\r\n\r\ndata: b\r\ndata: ÿ\n\ndata: [DONE]\r\r');
  const whole = await read([bytes]);

  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(await read(chunks)).toEqual(whole);
    }),
    { numRuns: 200 },
  );
  expect(whole).toEqual(['{"a":"日本 🎭"}', 'b\nÿ', '[DONE]']);
});

test('a line without end is refused', async () => {
  let sent = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    const chunk = Buffer.alloc(2 ** 20, 'x');
    for (; sent < 64; sent += 1) yield chunk;
  }

  const events = Array.fromAsync(readEvents(endless()));

  await expect(events).rejects.toMatchObject({ failure: 'invalid' });
  expect(sent).toBeLessThan(10);
});

test('a reader that waits holds the stream back', async () => {
  let sent = 0;
  async function* busy(): AsyncGenerator<Uint8Array> {
    for (; ; sent += 1) yield Buffer.from('data: a\n\ndata: b\n\n');
  }
  const events = readEvents(busy());

  const first = [await events.next(), await events.next(), await events.next()];

  expect(first.map(({ value }) => value)).toEqual(['a', 'b', 'a']);
  expect(sent).toBe(1);
});
