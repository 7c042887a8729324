import { runProgram } from '../../src/cli/program.ts';
import { fakeIo } from './fake-io.ts';
import { cleanEnvironment, type ProgramOptions, type Ran } from './program.ts';

/**
 * Runs a command line in this process, which costs a fraction of what a program costs. For what a verb answers, not for what a program does
 * with its signals and its streams. Processes that the verb starts get the environment of this process.
 */
export async function callProgram(
  args: readonly string[],
  { cwd, input = '', env = {} }: Pick<ProgramOptions, 'cwd' | 'input' | 'env'>,
): Promise<Ran> {
  const place = fakeIo({ cwd, env: cleanEnvironment(env) });
  place.endInput(input);
  const code = await runProgram(args, place.io);
  return { code, stdout: place.stdout(), stderr: place.stderr() };
}
