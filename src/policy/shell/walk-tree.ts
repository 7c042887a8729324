import { decodeAnsiC } from './ansi-c.ts';
import { isRedirect, readRedirects } from './read-redirects.ts';
import { readAssignment, readPart, readWord, type WordContext } from './read-word.ts';
import {
  type Directory,
  programOf,
  type ShellStart,
  type SimpleCommand,
  toChangeOfDirectory,
} from './simple-command.ts';
import { eachNode, isLiteral, namedChildren, type SyntaxNode } from './syntax-node.ts';
import { isCertain, UNKNOWN, type Word } from './word.ts';

const MAX_DIRECTORIES = 8;
const MAX_STEPS = 32;
const unknownDirectory: Directory = [{ to: UNKNOWN, isReached: false }];

/** Stands for the program of commands in braces, a loop or a branch that share a redirection. */
const GROUP = '{';

/** Findings of a walk. */
export interface Walk {
  readonly commands: SimpleCommand[];
  readonly doubts: string[];
  readonly bombs: string[];
  /** Texts between backticks, in which quoting differs. */
  readonly scripts: { readonly script: string; readonly state: ShellStart }[];
}

/** Directories of the shell after a command, and what the command wrote into a pipe. */
interface Flow {
  readonly directories: readonly Directory[];
  readonly prints: Word;
}

/** Walks through the tree of a text, in the order in which a shell would run its commands. */
export function walkTree(
  root: SyntaxNode,
  { start, context }: { start: ShellStart; context: WordContext },
): Walk {
  const walk = new TreeWalk(context);
  walk.visit(root, start);
  return walk;
}

class TreeWalk implements Walk {
  readonly commands: SimpleCommand[] = [];
  readonly doubts: string[] = [];
  readonly bombs: string[] = [];
  readonly scripts: { readonly script: string; readonly state: ShellStart }[] = [];
  readonly #context: WordContext;

  constructor(context: WordContext) {
    this.#context = context;
  }

  #add(state: ShellStart, command: Partial<SimpleCommand>): void {
    this.commands.push({ words: [], assignments: [], redirections: [], ...state, ...command });
  }

  visit(node: SyntaxNode, state: ShellStart): Flow {
    switch (node.type) {
      case 'command':
        return this.#walkCommand(node, state, []);
      case 'redirected_statement':
        return this.#walkRedirected(node, state);
      case 'pipeline':
        return this.#walkPipeline(namedChildren(node), state, []);
      case 'program':
      case 'compound_statement':
      case 'list':
        return this.#walkSequence(node.children, state, []);
      case 'subshell':
      case 'process_substitution':
        this.#walkSequence(node.children, state, []);
        return stay(state);
      case 'command_substitution':
        return this.#walkSubstitution(node, state);
      case 'function_definition':
        this.bombs.push(...findSelfCalls(node, this.#context));
        return this.#walkParts(node.children, state, true);
      case 'for_statement':
      case 'while_statement':
      case 'c_style_for_statement':
        this.#addLoopVariable(node, state);
        return this.#walkParts(node.children, state, true);
      case 'variable_assignment':
        if (!/^(command|declaration_command|c_style_for_statement)$/.test(node.parent?.type ?? ''))
          this.#add(state, { assignments: [readAssignment(node, this.#context)] });
        return this.#walkParts(node.children, state);
      case 'declaration_command':
      case 'unset_command':
        this.#add(state, {
          words: node.children.map((part) => (part.isNamed ? readWord(part, this.#context) : part.text)),
        });
        return this.#walkParts(node.children, state);
      case 'test_command': {
        const words = [...eachNode(node)].filter(
          (part) => part.type === 'word' || isLiteral(part) || part.type === 'string',
        );
        this.#add(state, { words: ['[[', ...words.map((word) => readWord(word, this.#context))] });
        return this.#walkParts(node.children, state);
      }
      case 'expansion':
        if (/@P\}$/.test(node.text)) this.doubts.push('runs the value of a variable');
        return this.#walkParts(node.children, state);
      case 'heredoc_redirect':
        this.doubts.push('has a here-document that cannot be read');
        return this.#walkParts(node.children, state);
      default:
        return this.#walkParts(node.children, state);
    }
  }

  /** Walks parts of which any may run. A part that runs `again` may begin where it ended. */
  #walkParts(nodes: readonly SyntaxNode[], state: ShellStart, again = false): Flow {
    let { directories } = state;
    for (const node of nodes) {
      if (node.children.length === 0 && !node.isNamed) continue;
      const isRepeated = again && changesDirectory(node);
      const from = isRepeated ? [unknownDirectory] : directories;
      const after = this.visit(node, { ...state, directories: from }).directories;
      directories = isRepeated ? [unknownDirectory] : after === from ? directories : join(directories, after);
    }
    return stay({ ...state, directories });
  }

  #walkSequence(nodes: readonly SyntaxNode[], state: ShellStart, extra: readonly SyntaxNode[]): Flow {
    const last = nodes.findLastIndex(({ isNamed }) => isNamed);
    let { directories } = state;
    let isOptional = false;
    nodes.forEach((node, index) => {
      if (node.type === '||') isOptional = true;
      if (!node.isNamed) return;
      const inside = { ...state, directories };
      if (node.type === 'file_redirect') this.#add(inside, readRedirects([node], this.#context));
      const after =
        index === last && extra.length > 0 ? this.#walkBody(node, inside, extra) : this.visit(node, inside);
      // A list in the background keeps its directory to itself.
      const next = nodes[index + 1]?.type;
      const reached = next === '&&' ? after.directories.map(toReached) : after.directories;
      if (next !== '&') directories = isOptional ? join(directories, reached) : reached;
      isOptional = false;
    });
    return stay({ ...state, directories });
  }

  #walkPipeline(nodes: readonly SyntaxNode[], state: ShellStart, extra: readonly SyntaxNode[]): Flow {
    let { input } = state;
    for (const [index, node] of nodes.entries()) {
      const isLast = index === nodes.length - 1 && extra.length > 0;
      input = (
        isLast ? this.#walkBody(node, { ...state, input }, extra) : this.visit(node, { ...state, input })
      ).prints;
    }
    return { ...stay(state), prints: input ?? UNKNOWN };
  }

  #walkSubstitution(node: SyntaxNode, state: ShellStart): Flow {
    if (node.text.startsWith('`')) {
      // POSIX 2.6.3: between backticks a backslash quotes these only, before anything else is looked at.
      const script = node.text.slice(1, -1).replaceAll(/\\([$`\\])/g, '$1');
      const inString = node.parent?.type === 'string';
      this.scripts.push({ script: inString ? script.replaceAll('\\"', '"') : script, state });
    } else this.#walkSequence(node.children, state, []);
    return stay(state);
  }

  #walkCommand(node: SyntaxNode, state: ShellStart, extra: readonly SyntaxNode[]): Flow {
    const redirects = readRedirects([...node.children, ...extra], this.#context);
    const words: Word[] = [];
    for (const part of node.children) {
      const isOwn = part.type === 'variable_assignment' && words.length === 0;
      if (!isRedirect(part) && !isOwn) words.push(...readPart(part, this.#context));
    }
    const command: SimpleCommand = {
      ...state,
      words: [...words, ...redirects.words],
      assignments: namedChildren(node)
        .filter(({ type }) => type === 'variable_assignment')
        .map((part) => readAssignment(part, this.#context)),
      redirections: redirects.redirections,
      input: redirects.input ?? state.input,
    };
    this.commands.push(command);
    this.#walkParts(node.children, state);
    const target = toChangeOfDirectory(command.words);
    if (target === null) return { ...stay(state), prints: toPrintedText(command) };
    const directories = state.directories.map((steps) =>
      steps.length < MAX_STEPS ? [...steps, { to: target, isReached: false }] : unknownDirectory,
    );
    return stay({ ...state, directories });
  }

  #walkRedirected(node: SyntaxNode, state: ShellStart): Flow {
    const redirects = namedChildren(node).filter(isRedirect);
    const body = namedChildren(node).find((part) => !isRedirect(part));
    this.#walkParts(redirects, state);
    return this.#walkBody(body, state, redirects);
  }

  /** Reads the redirected command. In a list, a shell redirects only the last one. */
  #walkBody(body: SyntaxNode | undefined, state: ShellStart, extra: readonly SyntaxNode[]): Flow {
    if (body?.type === 'command') return this.#walkCommand(body, state, extra);
    if (body?.type === 'list') return this.#walkSequence(body.children, state, extra);
    if (body?.type === 'pipeline') return this.#walkPipeline(namedChildren(body), state, extra);
    const { redirections, words, input } = readRedirects(extra, this.#context);
    if (words.length > 0) this.doubts.push('has words behind a redirection that belong to no command');
    this.#add(state, { redirections, words: body === undefined ? [] : [GROUP] });
    return body === undefined ? stay(state) : this.visit(body, { ...state, input: input ?? state.input });
  }

  /** Programs in the loop see its variable if that is exported: `for PATH in /tmp/x; do git status; done`. */
  #addLoopVariable(node: SyntaxNode, state: ShellStart): void {
    const name = namedChildren(node).find(({ type }) => type === 'variable_name')?.text ?? '';
    if (/^[A-Z_]+$/.test(name)) this.#add(state, { assignments: [{ name, value: UNKNOWN }] });
  }
}

function stay({ directories }: ShellStart): Flow {
  return { directories, prints: UNKNOWN };
}

function join(...sets: (readonly Directory[])[]): readonly Directory[] {
  if (sets[0] !== undefined && sets.every((set) => set === sets[0])) return sets[0];
  const all = new Map(sets.flat().map((directory) => [JSON.stringify(directory), directory]));
  return all.size > MAX_DIRECTORIES ? [unknownDirectory] : [...all.values()];
}

/** Behind `cd x &&` the shell is in `x`. */
function toReached(steps: Directory): Directory {
  return steps.map((step, index) => (index === steps.length - 1 ? { ...step, isReached: true } : step));
}

function changesDirectory(node: SyntaxNode): boolean {
  return /\b(cd|pushd|popd)\b/.test(node.text);
}

/** Returns what a command writes into a pipe, as far as its words tell. */
function toPrintedText(command: SimpleCommand): Word {
  const { words, input, redirections } = command;
  const [, ...args] = words;
  if (redirections.some(({ direction }) => direction === 'write')) return UNKNOWN;
  switch (programOf(command)) {
    case 'echo': {
      const text = args.slice(args.findIndex((word) => !/^-[neE]+$/.test(word))).join(' ');
      // Shells do not agree on what `echo` makes of a backslash.
      return text.includes('\\') ? UNKNOWN : `${text}\n`;
    }
    case 'printf': {
      const [format = '', ...rest] = args;
      if (/^%[sb](\\n)?$/.test(format)) return rest.join('\n');
      return rest.length > 0 || format.includes('%') || !isCertain(format) ? UNKNOWN : decodeAnsiC(format);
    }
    case 'cat':
    case 'tee':
      return args.every((word) => word === '-' || word === '/dev/null') ? (input ?? UNKNOWN) : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/** Returns the name of a function that calls itself in a pipe or in the background, as `:(){ :|:& };:` does. */
function findSelfCalls(definition: SyntaxNode, context: WordContext): readonly string[] {
  const [name, body] = namedChildren(definition);
  if (name === undefined || body === undefined) return [];
  for (const node of eachNode(body)) {
    if (node.type !== 'command_name' || readWord(node, context) !== name.text) continue;
    for (let outer = node.parent; outer !== null && outer !== body; outer = outer.parent) {
      const siblings = outer.parent?.children ?? [];
      if (outer.type === 'pipeline' || siblings[siblings.indexOf(outer) + 1]?.type === '&')
        return [name.text];
    }
  }
  return [];
}
