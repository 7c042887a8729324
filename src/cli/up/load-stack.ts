import { readFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { toError } from '../../config/error-text.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { parseYamlText } from '../../config/yaml-text.ts';
import type { CliIo } from '../cli-io.ts';
import { toErrnoText } from '../refusal.ts';
import { checkStack, type Stack } from './stack-file.ts';

/** @throws TroupeError `invalid-option`, each problem on a line of its own, with file, line and column. */
export async function loadStack(file: string, { cwd }: Pick<CliIo, 'cwd'>): Promise<Stack> {
  const shown = relative(cwd, file);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code } = toError(error) as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no such file' : (toErrnoText({ code }) ?? toError(error).message);
    const message = `${quote(shown)} cannot be read: ${why}.`;
    throw new TroupeError({ code: 'invalid-option', message, cause: error });
  });
  const check = (value: unknown) => checkStack(value, { directory: dirname(file) });
  return parseYamlText(text, { file: shown, code: 'invalid-option', check });
}
