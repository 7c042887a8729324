import type { Command } from '@commander-js/extra-typings';

/** One part of what is to be typed. */
export type TypedPart =
  | { readonly type: 'keys'; readonly keys: readonly string[] }
  | { readonly type: 'text' | 'paste'; readonly text: string };

/**
 * What the words of a command line say is to be typed, in their order, which commander does not keep: it has keys on one side and flags on the other. The
 * first word without a dash is the process.
 */
export function parseTypingOrder(
  words: readonly string[],
  { options }: Pick<Command, 'options'>,
): readonly TypedPart[] {
  const typed: TypedPart[] = [];
  let hasProcess = false;
  let areFlagsOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [name = '', ...inline] = word.split('=');
    const flag = areFlagsOver
      ? undefined
      : options.find(({ long, short }) => name === long || word === short);
    if (flag !== undefined) {
      const takesNext = flag.required && inline.length === 0;
      const value = takesNext ? (words[at + 1] ?? '') : inline.join('=');
      if (takesNext) at += 1;
      if (flag.long === '--text') typed.push({ type: 'text', text: value });
      if (flag.long === '--paste') typed.push({ type: 'paste', text: value });
    } else if (word === '--' && !areFlagsOver) areFlagsOver = true;
    else if (hasProcess) typed.push({ type: 'keys', keys: [word] });
    else hasProcess = true;
  }
  return typed;
}
