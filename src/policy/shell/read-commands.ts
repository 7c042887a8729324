import { createEventLoopYield } from '../event-loop-yield.ts';
import { findMisread } from './find-misread.ts';
import { prepareText } from './prepare-text.ts';
import { createWordContext } from './read-word.ts';
import type { ShellGrammar } from './shell-grammar.ts';
import type { ShellStart, SimpleCommand } from './simple-command.ts';
import { walkTree } from './walk-tree.ts';

/** Commands that a shell would run. */
export interface ShellReading {
  /** Commands in the order of the text, including those in functions and branches that may never run. */
  readonly commands: readonly SimpleCommand[];
  /** Reasons why more may run, each as the end of a sentence that begins with "it". */
  readonly doubts: readonly string[];
  /** Names of functions that call themselves in a pipe or in the background. */
  readonly bombs: readonly string[];
}

/** Reads text as bash would and lists every simple command in it. `limit`: characters of code. */
export async function readShellText(
  text: string,
  { start, grammar, limit }: { start: ShellStart; grammar: ShellGrammar; limit: number },
): Promise<ShellReading> {
  const prepared = prepareText(text);
  if (prepared.doubt !== null) return { commands: [], doubts: [prepared.doubt], bombs: [] };
  if (prepared.text.length > limit) return { commands: [], doubts: ['is too long to be read'], bombs: [] };
  const parsed = await grammar.parse(prepared.text);
  if (parsed === null) return { commands: [], doubts: ['cannot be read in reasonable time'], bombs: [] };
  const context = createWordContext(prepared.text, prepared.literals);
  const yieldIfDue = createEventLoopYield();
  const reading = walkTree(parsed.root, { start, context });
  await yieldIfDue();
  const misread = findMisread(parsed.root, prepared.text);
  const inBackticks = [];
  for (const { script, state } of reading.scripts) {
    inBackticks.push(
      await readShellText(script, { start: state, grammar, limit: limit - prepared.text.length }),
    );
  }
  return {
    commands: [...reading.commands, ...inBackticks.flatMap(({ commands }) => commands)],
    doubts: [
      ...(parsed.hasError ? ['cannot be read as a shell command'] : []),
      ...(misread === null ? [] : [misread]),
      ...reading.doubts,
      ...inBackticks.flatMap(({ doubts }) => doubts),
    ],
    bombs: [...reading.bombs, ...inBackticks.flatMap(({ bombs }) => bombs)],
  };
}
