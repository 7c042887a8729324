import type { SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, type Word } from '../shell/word.ts';
import { isOwnInput } from './shell-call.ts';
import { nothingInside, type Unwrapped } from './unwrapped.ts';

/** Reads a makefile that is fed to `make`; its recipes are the lines after a tab. Makefiles on disk are unknown. */
export function unwrapMake(command: SimpleCommand): Unwrapped {
  const nothing = nothingInside(command);
  const files = toMakefiles(command.words);
  if (!files.every(isCertain))
    return { ...nothing, doubts: ['reads a makefile that is only known when it runs'] };
  if (!files.some((file) => file === '-' || isOwnInput(file))) return nothing;
  const { input } = command;
  if (input === null || !isCertain(input) || /\$\(shell|!=|^-?include/m.test(input))
    return { ...nothing, doubts: ['feeds make what is only known when it runs'] };
  const recipes = [...input.matchAll(/^(?:\t|[^\n=]*;)[@+\s-]*(.*)$/gm)].map(([, text = '']) => text);
  return { ...nothing, scripts: recipes.map((text) => ({ text, command })) };
}

function toMakefiles(words: readonly Word[]): readonly Word[] {
  return words.flatMap((word, index) => {
    const attached = /^(?:-[a-z]*f|--(?:file|makefile)=)([\s\S]*)$/i.exec(word)?.[1];
    if (attached === undefined) return /^--(file|makefile)$/.test(word) ? [words[index + 1] ?? ''] : [];
    return word.startsWith('--') || attached !== '' ? [attached] : [words[index + 1] ?? ''];
  });
}
