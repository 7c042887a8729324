import { shellQuote } from './shell-quote.ts';

/** What is run, and whether a shell sees it. */
export type Command =
  | { readonly type: 'argv'; readonly argv: readonly [string, ...string[]] }
  | { readonly type: 'shell'; readonly script: string; readonly shell: string }
  | { readonly type: 'function'; readonly name: string };

/** One line for people: what they would type. */
export function toCommandLine(command: Command): string {
  switch (command.type) {
    case 'argv':
      return command.argv.map(shellQuote).join(' ');
    case 'shell':
      return command.script;
    case 'function':
      return `${command.name}()`;
  }
}
