import { ModelError } from './model-error.ts';

/** Limit of one event, far beyond any model's pieces. */
const MAX_EVENT_CHARACTERS = 8 * 2 ** 20;

/**
 * Yields the data of each server-sent event (WHATWG HTML, section 9.2). Chunks may divide characters and line
 * ends; comments and other fields are ignored. A line without its end is ignored, while the last event may
 * lack its empty line.
 *
 * @throws ModelError `invalid` for an event beyond 8 Mi characters.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  let held = 0;
  for await (const line of readLines(body)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
      held = 0;
      continue;
    }
    const value = /^data(?:: ?|$)(.*)/s.exec(line)?.[1];
    if (value === undefined) continue;
    data.push(value);
    held += value.length;
    if (held > MAX_EVENT_CHARACTERS) throw tooLong();
  }
  if (data.length > 0) yield data.join('\n');
}

/** Yields complete lines, ended by CR LF, LF or CR. */
async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let endedWithReturn = false;
  for await (const chunk of body) {
    const decoded = decoder.decode(chunk, { stream: true });
    if (decoded === '') continue;
    const text = endedWithReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    endedWithReturn = decoded.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    rest += first;
    if (rest.length > MAX_EVENT_CHARACTERS) throw tooLong();
    for (const next of others) {
      yield rest;
      rest = next;
    }
  }
}

function tooLong(): ModelError {
  const message = `The endpoint sent an event of more than ${MAX_EVENT_CHARACTERS} characters.`;
  return new ModelError({ failure: 'invalid', message });
}
