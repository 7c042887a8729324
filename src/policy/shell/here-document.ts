import { namedChildren, type SyntaxNode } from './syntax-node.ts';
import { UNKNOWN, type Word } from './word.ts';

interface HereDocument {
  /** Input of the command. */
  readonly text: Word;
  /** Between backticks, where the shell expands it: run while the document is read. */
  readonly scripts: readonly string[];
  /** Node with the `$(…)` that are run; `null` where nothing is expanded. */
  readonly expanded: SyntaxNode | null;
}

/** POSIX 2.7.4: a delimiter with any quoting in it keeps the shell's hands off the text. */
export function readHereDocument(redirect: SyntaxNode): HereDocument {
  const parts = namedChildren(redirect);
  const body = parts.find(({ type }) => type === 'heredoc_body') ?? null;
  const delimiter = parts.find(({ type }) => type === 'heredoc_start')?.text ?? '';
  const raw = body?.text ?? '';
  const text =
    redirect.children.find(({ isNamed }) => !isNamed)?.text === '<<-' ? raw.replaceAll(/^\t+/gm, '') : raw;
  if (/['"\\]/.test(delimiter)) return { text, scripts: [], expanded: null };
  return { text: expand(text), scripts: [...readBackticks(text)], expanded: body };
}

function expand(text: string): Word {
  const EXPANSION =
    /\\([$`\\]|\n)|\$(?:\((?:[^()]|\([^()]*\))*\)|\{[^}]*\}|[\w@*#?$!-]+)|`(?:\\[\s\S]|[^`\\])*`/g;
  return text.replaceAll(EXPANSION, (_, escaped?: string) => {
    if (escaped === undefined) return UNKNOWN;
    return escaped === '\n' ? '' : escaped;
  });
}

/** The grammar leaves backticks in a here-document alone; the shell does not. */
function* readBackticks(text: string): Generator<string> {
  for (const [, escaped, script] of text.matchAll(/(\\[\s\S])|`((?:\\[\s\S]|[^`\\])*)`/g)) {
    if (escaped === undefined && script !== undefined) yield unescapeBackticks(script);
  }
}

/** POSIX 2.6.3: between backticks a backslash quotes these only, before anything else is looked at. */
export function unescapeBackticks(script: string): string {
  return script.replaceAll(/\\([$`\\])/g, '$1');
}
