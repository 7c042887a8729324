import { createInterface } from 'node:readline';
import type { CliIo } from './cli-io.ts';

export type Confirmation = 'yes' | 'no' | 'interrupted';

/** Asks a yes-or-no question once. Any answer except `y` or `yes` means no. */
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
