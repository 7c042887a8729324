import type { SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, type Word } from '../shell/word.ts';
import { readSedScript, type SedReading } from './sed-script.ts';
import { nothingInside, type Unwrapped } from './unwrapped.ts';

/** The scripts in the arguments of sed; `null` for each that cannot be read. */
export function readSedCall({ words }: Pick<SimpleCommand, 'words'>): readonly (SedReading | null)[] {
  return toScripts(words).map((script) => (isCertain(script) ? readSedScript(script) : null));
}

export function unwrapSed(command: SimpleCommand): Unwrapped {
  const nothing = nothingInside(command);
  const runs = readSedCall(command).some((reading) => reading?.runs === true);
  return runs ? { ...nothing, doubts: ['lets sed run commands'] } : nothing;
}

/** Returns the arguments of `-e` or, without that and `-f`, the first word that is no option. */
function toScripts(words: readonly Word[]): readonly Word[] {
  const scripts: Word[] = [];
  const others: Word[] = [];
  let isGiven = false;
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? '';
    const [, letter, attached = ''] =
      /^(?:-[nErsuz]*([efl])|--(e|fi|l)[a-z-]*(?:=|$))([\s\S]*)$/
        .exec(word)
        ?.filter((part) => part !== undefined) ?? [];
    if (letter === undefined) {
      if (!/^-./.test(word)) others.push(word);
      continue;
    }
    const value = attached === '' && !word.includes('=') ? (words[++index] ?? '') : attached;
    isGiven ||= letter !== 'l';
    if (letter === 'e') scripts.push(value);
  }
  return isGiven ? scripts : others.slice(0, 1);
}
