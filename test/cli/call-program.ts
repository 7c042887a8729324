import { runProgram } from '../../src/cli/program.ts';
import { fakeIo } from './fake-io.ts';
import { cleanEnvironment, type ProgramInput, type Ran } from './program.ts';

/**
 * Runs a command line in this process, without the cost of a program. It suits tests of a verb's answer; tests of signals and streams need
 * `runProgram`. Processes that the verb starts inherit the environment of this process.
 */
export async function callProgram(
  args: readonly string[],
  { cwd, input = '', env = {} }: { readonly cwd: string } & ProgramInput,
): Promise<Ran> {
  const place = fakeIo({ cwd, env: cleanEnvironment(env) });
  place.endInput(input);
  const code = await runProgram(args, place.io);
  return { code, stdout: place.stdout(), stderr: place.stderr() };
}
