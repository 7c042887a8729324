/**
 * Reads text from a body in blocks that end with a separator, as many at once as have arrived. A block without its separator at the end is
 * dropped. Leaving the iteration cancels the body.
 */
export async function* readBlocks(
  body: ReadableStream<Uint8Array>,
  separator: string,
): AsyncGenerator<readonly string[], void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += decoder.decode(read.value, { stream: true });
      const blocks = text.split(separator);
      text = blocks.pop() ?? '';
      yield blocks;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
