import { runProgram } from '../../src/cli/program.ts';
import { fakeIo } from './fake-io.ts';
import { cleanEnvironment, type ProgramOptions, type Ran } from './program.ts';

/**
 * Runs a command line in this process, which takes a tenth of the time of a program of its own. For what a verb answers, not for what a
 * program does with its signals, its streams and its environment; the daemon and the processes that a verb starts have that of the tests.
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
