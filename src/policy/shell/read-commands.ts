import { createEventLoopYield } from '../event-loop-yield.ts';
import { decodeAnsiC } from './ansi-c.ts';
import { documentMark, prepareText } from './prepare-text.ts';
import { createWordContext, readAssignment, readPart, readWord, type WordContext } from './read-word.ts';
import type { ShellGrammar } from './shell-grammar.ts';
import {
  type Directory,
  programOf,
  type Redirection,
  type SimpleCommand,
  toChangeOfDirectory,
} from './simple-command.ts';
import { eachNode, namedChildren, type SyntaxNode } from './syntax-node.ts';
import { isCertain, UNKNOWN, type Word } from './word.ts';

/** Initial directories and input of a shell. */
export interface ShellStart {
  readonly directories: readonly Directory[];
  readonly input: Word | null;
}

/** Commands that a shell would run. */
export interface ShellReading {
  /** Commands in the order of the text, including those in functions and branches that may never run. */
  readonly commands: readonly SimpleCommand[];
  /** Reasons why more may run, each as the end of a sentence that begins with "it". */
  readonly doubts: readonly string[];
  /** Names of functions that call themselves in a pipe or in the background. */
  readonly bombs: readonly string[];
}

/** Directories of the shell after a command, and what the command wrote into a pipe. */
interface Flow {
  readonly directories: readonly Directory[];
  readonly prints: Word;
}

const MAX_DIRECTORIES = 8;
const MAX_STEPS = 32;
const unknownDirectory: Directory = [{ to: UNKNOWN, isReached: false }];

/** Stands for the program of commands in braces, a loop or a branch that share a redirection. */
const GROUP = '{';

/** Parts of a text whose content no shell interprets. */
const LITERAL = ['raw_string', 'ansi_c_string'];
const REDIRECTS = ['file_redirect', 'herestring_redirect', 'heredoc_redirect'];

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

interface Walk {
  readonly commands: SimpleCommand[];
  readonly doubts: string[];
  readonly bombs: string[];
  /** Texts between backticks, in which quoting differs. */
  readonly scripts: { readonly script: string; readonly state: ShellStart }[];
}

function walkTree(root: SyntaxNode, { start, context }: { start: ShellStart; context: WordContext }): Walk {
  const found: Walk = { commands: [], doubts: [], bombs: [], scripts: [] };

  const add = (state: ShellStart, command: Partial<SimpleCommand>): void => {
    found.commands.push({ words: [], assignments: [], redirections: [], ...state, ...command });
  };

  const walk = (node: SyntaxNode, state: ShellStart): Flow => {
    switch (node.type) {
      case 'command':
        return walkCommand(node, state, []);
      case 'redirected_statement':
        return walkRedirected(node, state);
      case 'pipeline':
        return walkPipeline(namedChildren(node), state, []);
      case 'program':
      case 'compound_statement':
      case 'list':
        return walkSequence(node.children, state, []);
      case 'subshell':
      case 'process_substitution':
        walkSequence(node.children, state, []);
        return stay(state);
      case 'command_substitution':
        return walkSubstitution(node, state);
      case 'function_definition':
        found.bombs.push(...findSelfCalls(node, context));
        return walkParts(node.children, state, true);
      case 'for_statement':
      case 'while_statement':
      case 'c_style_for_statement':
        addLoopVariable(node, state);
        return walkParts(node.children, state, true);
      case 'variable_assignment':
        if (!/^(command|declaration_command|c_style_for_statement)$/.test(node.parent?.type ?? ''))
          add(state, { assignments: [readAssignment(node, context)] });
        return walkParts(node.children, state);
      case 'declaration_command':
      case 'unset_command':
        add(state, {
          words: node.children.map((part) => (part.isNamed ? readWord(part, context) : part.text)),
        });
        return walkParts(node.children, state);
      case 'test_command': {
        const words = [...eachNode(node)].filter(
          ({ type }) => type === 'word' || LITERAL.includes(type) || type === 'string',
        );
        add(state, { words: ['[[', ...words.map((word) => readWord(word, context))] });
        return walkParts(node.children, state);
      }
      case 'expansion':
        if (/@P\}$/.test(node.text)) found.doubts.push('runs the value of a variable');
        return walkParts(node.children, state);
      case 'heredoc_redirect':
        found.doubts.push('has a here-document that cannot be read');
        return walkParts(node.children, state);
      default:
        return walkParts(node.children, state);
    }
  };

  /** Walks parts of which any may run. A part that runs `again` may begin where it ended. */
  const walkParts = (nodes: readonly SyntaxNode[], state: ShellStart, again = false): Flow => {
    let { directories } = state;
    for (const node of nodes) {
      if (node.children.length === 0 && !node.isNamed) continue;
      const isRepeated = again && changesDirectory(node);
      const from = isRepeated ? [unknownDirectory] : directories;
      const after = walk(node, { ...state, directories: from }).directories;
      directories = isRepeated ? [unknownDirectory] : after === from ? directories : join(directories, after);
    }
    return stay({ ...state, directories });
  };

  const walkSequence = (
    nodes: readonly SyntaxNode[],
    state: ShellStart,
    extra: readonly SyntaxNode[],
  ): Flow => {
    const last = nodes.findLastIndex(({ isNamed }) => isNamed);
    let { directories } = state;
    let isOptional = false;
    nodes.forEach((node, index) => {
      if (node.type === '||') isOptional = true;
      if (!node.isNamed) return;
      const inside = { ...state, directories };
      if (node.type === 'file_redirect') add(inside, readRedirects([node], context));
      const after = index === last && extra.length > 0 ? walkBody(node, inside, extra) : walk(node, inside);
      // A list in the background keeps its directory to itself.
      const next = nodes[index + 1]?.type;
      const reached = next === '&&' ? after.directories.map(toReached) : after.directories;
      if (next !== '&') directories = isOptional ? join(directories, reached) : reached;
      isOptional = false;
    });
    return stay({ ...state, directories });
  };

  const walkPipeline = (
    nodes: readonly SyntaxNode[],
    state: ShellStart,
    extra: readonly SyntaxNode[],
  ): Flow => {
    let { input } = state;
    for (const [index, node] of nodes.entries()) {
      const isLast = index === nodes.length - 1 && extra.length > 0;
      input = (isLast ? walkBody(node, { ...state, input }, extra) : walk(node, { ...state, input })).prints;
    }
    return { ...stay(state), prints: input ?? UNKNOWN };
  };

  const walkSubstitution = (node: SyntaxNode, state: ShellStart): Flow => {
    if (node.text.startsWith('`')) {
      // POSIX 2.6.3: between backticks a backslash quotes these only, before anything else is looked at.
      const script = node.text.slice(1, -1).replaceAll(/\\([$`\\])/g, '$1');
      const inString = node.parent?.type === 'string';
      found.scripts.push({ script: inString ? script.replaceAll('\\"', '"') : script, state });
    } else walkSequence(node.children, state, []);
    return stay(state);
  };

  const walkCommand = (node: SyntaxNode, state: ShellStart, extra: readonly SyntaxNode[]): Flow => {
    const redirects = readRedirects([...node.children, ...extra], context);
    const words: Word[] = [];
    for (const part of node.children) {
      const isOwn = part.type === 'variable_assignment' && words.length === 0;
      if (!REDIRECTS.includes(part.type) && !isOwn) words.push(...readPart(part, context));
    }
    const command: SimpleCommand = {
      ...state,
      words: [...words, ...redirects.words],
      assignments: namedChildren(node)
        .filter(({ type }) => type === 'variable_assignment')
        .map((part) => readAssignment(part, context)),
      redirections: redirects.redirections,
      input: redirects.input ?? state.input,
    };
    found.commands.push(command);
    walkParts(node.children, state);
    const target = toChangeOfDirectory(command.words);
    if (target === null) return { ...stay(state), prints: toPrintedText(command) };
    const directories = state.directories.map((steps) =>
      steps.length < MAX_STEPS ? [...steps, { to: target, isReached: false }] : unknownDirectory,
    );
    return stay({ ...state, directories });
  };

  const walkRedirected = (node: SyntaxNode, state: ShellStart): Flow => {
    const redirects = namedChildren(node).filter(({ type }) => REDIRECTS.includes(type));
    const body = namedChildren(node).find(({ type }) => !REDIRECTS.includes(type));
    walkParts(redirects, state);
    return walkBody(body, state, redirects);
  };

  /** Reads the redirected command. In a list, a shell redirects only the last one. */
  const walkBody = (body: SyntaxNode | undefined, state: ShellStart, extra: readonly SyntaxNode[]): Flow => {
    if (body?.type === 'command') return walkCommand(body, state, extra);
    if (body?.type === 'list') return walkSequence(body.children, state, extra);
    if (body?.type === 'pipeline') return walkPipeline(namedChildren(body), state, extra);
    const { redirections, words, input } = readRedirects(extra, context);
    if (words.length > 0) found.doubts.push('has words behind a redirection that belong to no command');
    add(state, { redirections, words: body === undefined ? [] : [GROUP] });
    return body === undefined ? stay(state) : walk(body, { ...state, input: input ?? state.input });
  };

  /** Programs in the loop see its variable if that is exported: `for PATH in /tmp/x; do git status; done`. */
  const addLoopVariable = (node: SyntaxNode, state: ShellStart): void => {
    const name = namedChildren(node).find(({ type }) => type === 'variable_name')?.text ?? '';
    if (/^[A-Z_]+$/.test(name)) add(state, { assignments: [{ name, value: UNKNOWN }] });
  };

  walk(root, start);
  return found;
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

interface Redirects {
  readonly redirections: readonly Redirection[];
  /** Words behind the file's name belong to the command: `rm >log -rf /`. */
  readonly words: readonly Word[];
  readonly input: Word | null;
}

function readRedirects(nodes: readonly SyntaxNode[], context: WordContext): Redirects {
  const redirections: Redirection[] = [];
  const words: Word[] = [];
  let input: Word | null = null;
  for (const node of nodes) {
    if (!REDIRECTS.includes(node.type)) continue;
    const parts = namedChildren(node);
    const descriptor = parts.find(({ type }) => type === 'file_descriptor');
    // The grammar takes `-rf2>log` for a descriptor with a long name; the shell, for a word and a redirection.
    if (descriptor !== undefined && !/^(\d+|\{\w+\})$/.test(descriptor.text)) words.push(descriptor.text);
    const [target, ...rest] = parts
      .filter((part) => part !== descriptor)
      .flatMap((part) => readPart(part, context));
    words.push(...rest);
    if (target === undefined) continue;
    const operator = node.children.find((part) => /^[<>&|]+-?$/.test(part.type))?.type ?? '>';
    if (node.type === 'herestring_redirect') input = target;
    else if (target.startsWith(documentMark)) input = target.slice(1);
    else if (!operator.endsWith('&') || !/^\d+-?$|^-$/.test(target)) {
      const direction = operator.startsWith('<') && operator !== '<>' ? 'read' : 'write';
      redirections.push({ direction, target });
      if (operator.startsWith('<')) input = UNKNOWN;
    }
  }
  return { redirections, words, input };
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

/** Finds a place that the grammar reads otherwise than a shell: a substitution that it overlooked, or words that it lost. */
function findMisread(root: SyntaxNode, text: string): string | null {
  /** 1: no shell interprets it; 2: no process substitution is in it. */
  const kept = new Uint8Array(text.length);
  const tokens = new Set<number>();
  for (const node of eachNode(root)) {
    const { type, startIndex, endIndex } = node;
    if (LITERAL.includes(type)) kept.fill(1, startIndex, endIndex);
    if (type === 'string_content' || type === 'string') kept.fill(2, startIndex, endIndex);
    if (/^(`|\$\(|\$\{|[<>]\()/.test(type)) tokens.add(startIndex);
    // To a shell without them, `a &>b rm x` is two commands, the second `rm x`, and `((rm x))` runs `rm x`.
    if (type === 'file_redirect' && /^&>/.test(node.text) && namedChildren(node).length > 1) return OTHERWISE;
    if (node.children[0]?.type === '((' && /[\w)}"'] +-?[\w$"'/\\]/.test(node.text)) return OTHERWISE;
    if (type === 'command' && hasGaps(node)) return 'cannot be read as a shell command';
    const isWord = node.isNamed && node.children.length === 0 && !/content|string/.test(type);
    if (isWord && /\n/.test(node.text.replaceAll(/\\[\s\S]/g, ''))) return 'has a line that cannot be read';
  }
  for (const { index, 0: opening } of text.matchAll(/\\[\s\S]|`|\$\(|\$\{|[<>]\(/g)) {
    if (opening.startsWith('\\') || tokens.has(index) || kept[index] === 1) continue;
    if (!(/^[<>]/.test(opening) && kept[index] === 2)) return 'has a substitution that cannot be read';
  }
  return null;
}

const OTHERWISE = 'is read differently by different shells';

/** Tells whether text of a command belongs to no part of it. */
function hasGaps({ children, text, startIndex }: SyntaxNode): boolean {
  let end = startIndex;
  return children.some((part) => {
    const gap = text.slice(end - startIndex, part.startIndex - startIndex);
    end = part.endIndex;
    return !/^\s*$/.test(gap);
  });
}
