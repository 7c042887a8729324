import { shorten } from '../../config/shorten.ts';
import type { AwaitedInput } from '../../process/process-view.ts';
import { toVisible } from './printable.ts';

const words: Readonly<Record<AwaitedInput['kind'], string>> = {
  line: 'input',
  secret: 'secret',
  key: 'key',
};

/** For a narrow place: `input`, `secret`, `key`; with a question mark where it is only guessed. */
export function toAwaitedMark({ kind, certainty }: AwaitedInput): string {
  return `${words[kind]}${certainty === 'hint' ? '?' : ''}`;
}

/** `waits for a secret: "Password:"`, as a clause. */
export function describeAwaited({ kind, certainty, prompt }: AwaitedInput): string {
  const what = kind === 'line' ? 'input' : `a ${words[kind]}`;
  const verb = certainty === 'hint' ? 'seems to wait for' : 'waits for';
  const asks = prompt === null || prompt.trim() === '' ? '' : `: "${shorten(toVisible(prompt.trim()), 60)}"`;
  return `${verb} ${what}${asks}`;
}
