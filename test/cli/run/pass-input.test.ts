import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { WriteResult } from '../../../machines/process/events.ts';
import type { CliIo } from '../../../src/cli/cli-io.ts';
import { forwardInput, type InputTarget } from '../../../src/cli/verbs/run/forward-input.ts';

type Answer = (bytes: number) => WriteResult;

const takes: Answer = (bytesWritten) => ({ ok: true, bytesWritten });
const reads =
  (bytesWritten: number): Answer =>
  () => ({ ok: false, bytesWritten, code: 'notReading', error: 'It does not read.' });
const isClosed: Answer = () => ({ ok: false, bytesWritten: 0, code: 'closed', error: 'It is closed.' });

/** Passes pieces to one who answers each call in its turn, and takes all after the last. */
async function pass(
  answers: readonly Answer[],
  refusedInput?: InputTarget['refusedInput'],
): Promise<string[]> {
  const left = [...answers];
  const given: string[] = [];
  const answer = (text: string): WriteResult => {
    given.push(text);
    return (left.shift() ?? takes)(text.length);
  };
  await forwardInput(
    { stdin: Readable.from([Buffer.from('hello'), Buffer.from('world')]) as unknown as CliIo['stdin'] },
    {
      write: async (data) => answer(Buffer.from(data).toString()),
      endInput: async () => answer('end'),
      ...(refusedInput !== undefined && { refusedInput }),
    },
  );
  return given;
}

test('forwarded input reaches a pipe only once', async () => {
  expect(await pass([reads(0), takes])).toEqual(['hello', 'world', 'end']);
});

test('forwarded input is retried for a terminal that refused it', async () => {
  const answers = [reads(0), reads(3), takes, reads(5), reads(0)];

  expect(await pass(answers, 'dropped')).toEqual(['hello', 'hello', 'lo', 'world', 'end', 'end']);
});

test('forwarding stops when the process accepts no more input', async () => {
  expect(await pass([reads(0), isClosed], 'dropped')).toEqual(['hello', 'hello']);
});
