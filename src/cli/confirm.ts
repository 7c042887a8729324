import { createInterface } from 'node:readline';
import type { CliIo } from './cli-io.ts';

export type Confirmation = 'yes' | 'no' | 'interrupted';

/** Asks once; anything but yes is no. */
export function confirm(
  question: string,
  { stdin, stdout }: Pick<CliIo, 'stdin' | 'stdout'>,
): Promise<Confirmation> {
  return new Promise((resolve) => {
    const reader = createInterface({ input: stdin, output: stdout });
    const answer = (confirmation: Confirmation) => {
      resolve(confirmation);
      reader.close();
    };
    reader.once('SIGINT', () => {
      stdout.write('\n');
      answer('interrupted');
    });
    reader.once('close', () => resolve('no'));
    reader.question(`${question} [y/N] `, (text) => answer(/^\s*y(es)?\s*$/i.test(text) ? 'yes' : 'no'));
  });
}
