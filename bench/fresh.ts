import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Runs a program of `programs/` in a Node of its own, so that nothing measured before is in its memory, and gives what it
 * printed as JSON. Its collector can be called by `gc()`.
 */
export async function runFresh<Result>(
  program: string,
  { input, env = process.env }: { input: unknown; env?: NodeJS.ProcessEnv },
): Promise<Result> {
  const path = join(import.meta.dirname, 'programs', `${program}.ts`);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', path, JSON.stringify(input)],
    { env, maxBuffer: 16 * 1024 * 1024 },
  );
  return JSON.parse(stdout) as Result;
}

/** What `runFresh` gave to this program. */
export function readInput<Input>(): Input {
  return JSON.parse(process.argv[2] ?? 'null') as Input;
}
