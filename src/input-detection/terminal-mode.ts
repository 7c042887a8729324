import type { AwaitedInput } from '../process/process-view.ts';
import { runProgram } from '../spawn/start-child.ts';

/** Time limit of `stty`, which normally ends at once. */
const longestMs = 5_000;

/** Reads the input mode of a terminal from its flags; `null` if they cannot be read. Starts one program. */
export async function readTerminalMode(path: string): Promise<AwaitedInput['kind'] | null> {
  const flags = await readFlags(path);
  return flags === null ? null : parseTerminalMode(flags);
}

/** Returns `true` if a terminal turns Ctrl-C and Ctrl-Z into signals; `false` if its flags cannot be read. Starts one program. */
export async function hasSignalKeys(path: string): Promise<boolean> {
  const flags = await readFlags(path);
  return flags?.split(/[\s;]+/).includes('isig') === true;
}

async function readFlags(path: string): Promise<string | null> {
  const options = { timeout: longestMs, env: { LC_ALL: 'C' } };
  const { failed, stdout } = await runProgram('stty', ['-F', path, '-a'], options);
  return failed ? null : stdout;
}

/** Parses the output of `stty -a`, where a minus precedes flags that are off. */
export function parseTerminalMode(text: string): AwaitedInput['kind'] | null {
  const words = text.split(/[\s;]+/);
  if (words.includes('-icanon')) return 'key';
  if (!words.includes('icanon')) return null;
  return words.includes('-echo') ? 'secret' : 'line';
}
