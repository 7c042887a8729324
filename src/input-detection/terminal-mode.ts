import type { AwaitedInput } from '../process/process-view.ts';
import { runProgram } from '../spawn/start-child.ts';

/** It opens a file and prints; more is a machine that is not well. */
const longestMs = 5_000;

/** How a terminal hands on what is typed, by its flags; `null` where they cannot be read. Starts one program. */
export async function readTerminalMode(path: string): Promise<AwaitedInput['kind'] | null> {
  const flags = await readFlags(path);
  return flags === null ? null : parseTerminalMode(flags);
}

/** Whether that terminal makes signals of Ctrl-C and Ctrl-Z; `false` where its flags cannot be read. Starts one program. */
export async function hasSignalKeys(path: string): Promise<boolean> {
  const flags = await readFlags(path);
  return flags?.split(/[\s;]+/).includes('isig') === true;
}

async function readFlags(path: string): Promise<string | null> {
  const options = { timeout: longestMs, env: { LC_ALL: 'C' } };
  const { failed, stdout } = await runProgram('stty', ['-F', path, '-a'], options);
  return failed ? null : stdout;
}

/** `text` as `stty -a` prints it: a minus stands before what is switched off. */
export function parseTerminalMode(text: string): AwaitedInput['kind'] | null {
  const words = text.split(/[\s;]+/);
  if (words.includes('-icanon')) return 'key';
  if (!words.includes('icanon')) return null;
  return words.includes('-echo') ? 'secret' : 'line';
}
