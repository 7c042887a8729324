import { expect, test } from 'vitest';
import { readBlocks } from '../../src/live/read-blocks.ts';

/** Returns a body of these chunks, and whether its reader has cancelled it. */
function createBody(chunks: readonly string[]) {
  const body = { isCancelled: false, stream: ReadableStream.from([] as Uint8Array[]) };
  body.stream = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk, 'latin1'));
      controller.close();
    },
    cancel: () => {
      body.isCancelled = true;
    },
  });
  return body;
}

test('blocks are put together from chunks, the first one too', async () => {
  const { stream } = createBody(['one\n\ntw', 'o\n', '\nthree\n\n', 'unfinished']);

  expect((await Array.fromAsync(readBlocks(stream, '\n\n'))).flat()).toEqual(['one', 'two', 'three']);
});

test('a character that two chunks share is read whole', async () => {
  const text = Buffer.from('é;').toString('latin1');
  const { stream } = createBody([text.slice(0, 1), text.slice(1)]);

  expect((await Array.fromAsync(readBlocks(stream, ';'))).flat()).toEqual(['é']);
});

test('leaving the iteration cancels the body', async () => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Buffer.from('again;')),
    cancel: () => {
      isCancelled = true;
    },
  });
  let isCancelled = false;

  for await (const _ of readBlocks(endless, ';')) break;

  expect(isCancelled).toBe(true);
});
