import {
  addStep,
  type Directory,
  haveChanged,
  joinDirectories,
  toChangeOfDirectory,
  unknownDirectory,
} from './directories.ts';
import { findMisread } from './find-misread.ts';
import { findSelfCalls } from './find-self-calls.ts';
import { readHereDocument, unescapeBackticks } from './here-document.ts';
import { toPrintedText } from './printed-text.ts';
import { readPart } from './read-word.ts';
import { isRedirect, isWordNode, noRedirects, type Redirects, readRedirects } from './redirects.ts';
import type { ShellGrammar } from './shell-grammar.ts';
import type { SimpleCommand } from './simple-command.ts';
import {
  hasGaps,
  isAssignment,
  isHereDocumentPart,
  isStatement,
  readDeclared,
  toAssignment,
  toRunParts,
} from './statement-parts.ts';
import { eachNode, namedChildren, type SyntaxNode } from './syntax-node.ts';
import { UNKNOWN, type Word } from './word.ts';

/** Commands that a shell would run. */
interface ShellReading {
  /** Commands in the order of the text, including those in functions and branches that may never run. */
  readonly commands: readonly SimpleCommand[];
  /** Reasons why more may run, each as the end of a sentence that begins with "it". */
  readonly doubts: readonly string[];
  /** Names of functions that call themselves in a pipe or in the background. */
  readonly bombs: readonly string[];
}

/** Initial directory and input of a shell. */
export interface ShellStart {
  readonly directories: readonly Directory[];
  readonly input: Word | null;
}

/** State of the shell after a command succeeded or failed, and what it wrote into a pipe. */
interface Flow {
  readonly ok: readonly Directory[];
  readonly fail: readonly Directory[];
  readonly prints: Word;
}

const MAX_DEPTH = 200;
const MAX_SCRIPTS = 500;

/** Parses text as bash would and lists every simple command in it. */
export function readSimpleCommands(text: string, start: ShellStart, grammar: ShellGrammar): ShellReading {
  const commands: SimpleCommand[] = [];
  const doubts: string[] = [];
  const bombs: string[] = [];
  const mayChange = /\b(cd|pushd|popd)\b/.test(text);
  let depth = 0;
  let scripts = 0;

  const readScript = (script: string, from: ShellStart): void => {
    scripts++;
    const parsed = scripts > MAX_SCRIPTS ? null : grammar.parse(script);
    if (parsed === null) {
      doubts.push('cannot be read in reasonable time');
      return;
    }
    if (parsed.hasError) doubts.push('cannot be read as a shell command');
    const misread = findMisread(parsed.root, script);
    if (misread !== null) doubts.push(misread);
    walk(parsed.root, from);
  };

  const walk = (node: SyntaxNode, state: ShellStart): Flow => {
    if (depth >= MAX_DEPTH) {
      doubts.push('is nested too deeply to be read');
      return stay(state);
    }
    depth++;
    try {
      return walkNode(node, state);
    } finally {
      depth--;
    }
  };

  const walkNode = (node: SyntaxNode, state: ShellStart): Flow => {
    switch (node.type) {
      case 'command':
        return walkCommand(node, state, noRedirects);
      case 'redirected_statement':
        return walkRedirected(node, state);
      case 'pipeline':
        return walkPipeline(namedChildren(node), state);
      case 'list':
        return walkList(node, state);
      case 'program':
      case 'compound_statement':
        return walkSequence(node.children, state);
      case 'subshell':
      case 'process_substitution':
        walkSequence(node.children, state);
        return stay(state);
      case 'command_substitution':
        return walkSubstitution(node, state);
      case 'for_statement':
      case 'while_statement':
      case 'c_style_for_statement':
        return walkLoop(node, state);
      case 'function_definition':
        bombs.push(...findSelfCalls(node));
        return walkFunction(node, state);
      case 'variable_assignment':
        if (isStatement(node)) commands.push({ ...bare(state), assignments: [toAssignment(node)] });
        return walkParts(node.children, state);
      case 'declaration_command':
      case 'unset_command':
        commands.push({ ...bare(state), words: node.children.map(readDeclared) });
        return walkParts(node.children, state);
      case 'file_redirect':
        commands.push({ ...bare(state), ...readRedirects([node]), words: [] });
        return walkParts(node.children, state);
      case 'test_command':
        if (hasHiddenSubscript(node)) doubts.push('computes with text that runs commands');
        return walkParts(node.children, state);
      case 'comment':
        return stay(state);
      default:
        return walkParts(node.children, state);
    }
  };

  /** Walks parts of which any may run: afterwards the shell is where it was or where any of them left it. */
  const walkParts = (nodes: readonly SyntaxNode[], state: ShellStart): Flow => {
    let { directories } = state;
    for (const node of nodes) {
      const { ok, fail } = walk(node, { ...state, directories });
      directories = joinDirectories(directories, ok, fail);
    }
    return stay({ ...state, directories });
  };

  const walkSequence = (nodes: readonly SyntaxNode[], state: ShellStart): Flow => {
    let flow = stay(state);
    nodes.forEach((node, index) => {
      if (!node.isNamed) return;
      const before = joinDirectories(flow.ok, flow.fail);
      const next = walk(node, { ...state, directories: before });
      const isBackground = nodes[index + 1]?.type === '&';
      flow = isBackground ? stay({ ...state, directories: before }) : next;
    });
    return { ...flow, prints: UNKNOWN };
  };

  const walkList = (node: SyntaxNode, state: ShellStart, extra = noRedirects): Flow => {
    const [left, right] = namedChildren(node).filter(({ type }) => type !== 'comment');
    if (left === undefined || right === undefined) {
      commands.push({ ...bare(state), redirections: extra.redirections });
      return walkParts(node.children, state);
    }
    const operator = node.children.some(({ type }) => type === '||') ? '||' : '&&';
    return continueList(walk(left, state), { operator, right, state, extra });
  };

  const continueList = (
    first: Flow,
    {
      operator,
      right,
      state,
      extra = noRedirects,
    }: { operator: '&&' | '||'; right: SyntaxNode; state: ShellStart; extra?: Redirects },
  ): Flow => {
    const start = { ...state, directories: operator === '&&' ? first.ok : first.fail };
    const second = extra === noRedirects ? walk(right, start) : walkBody(right, start, extra);
    return operator === '&&'
      ? { ok: second.ok, fail: joinDirectories(first.fail, second.fail), prints: UNKNOWN }
      : { ok: joinDirectories(first.ok, second.ok), fail: second.fail, prints: UNKNOWN };
  };

  const walkPipeline = (nodes: readonly SyntaxNode[], state: ShellStart, extra = noRedirects): Flow => {
    let { input } = state;
    for (const [index, node] of nodes.entries()) {
      const isLast = index === nodes.length - 1 && extra !== noRedirects;
      const flow = isLast ? walkBody(node, { ...state, input }, extra) : walk(node, { ...state, input });
      input = flow.prints;
    }
    return { ...stay(state), prints: input ?? UNKNOWN };
  };

  const walkLoop = (node: SyntaxNode, state: ShellStart): Flow => {
    // A variable that is exported already is so for the programs in the loop, too: `for PATH in /tmp/x; do git status; done`.
    const name = namedChildren(node).find(({ type }) => type === 'variable_name')?.text ?? '';
    if (/^[A-Z_]+$/.test(name)) commands.push({ ...bare(state), assignments: [{ name, value: UNKNOWN }] });
    const { ok } = walkParts(node.children, state);
    return haveChanged(state.directories, ok)
      ? stay({ ...state, directories: [unknownDirectory] })
      : stay(state);
  };

  /** Walks a function, which runs where it is called, not where it is defined. */
  const walkFunction = (node: SyntaxNode, state: ShellStart): Flow => {
    const directories = mayChange ? [...state.directories, unknownDirectory] : state.directories;
    const { ok } = walkParts(node.children, { ...state, directories });
    return stay(haveChanged(directories, ok) ? { ...state, directories: [unknownDirectory] } : state);
  };

  const walkSubstitution = (node: SyntaxNode, state: ShellStart): Flow => {
    const { text } = node;
    if (text.startsWith('`')) {
      const inString = node.parent?.type === 'string';
      const script = unescapeBackticks(text.slice(1, -1));
      readScript(inString ? script.replaceAll('\\"', '"') : script, state);
    } else {
      walkSequence(node.children, state);
    }
    return stay(state);
  };

  const walkCommand = (node: SyntaxNode, state: ShellStart, extra: Redirects): Flow => {
    const own = readRedirects(node.children);
    const words: Word[] = [];
    if (hasGaps(node)) doubts.push('cannot be read as a shell command');
    for (const part of node.children) {
      if (isRedirect(part) || part.type === 'comment') continue;
      if (part.type === 'variable_assignment' && words.length === 0) continue;
      words.push(...readPart(part));
    }
    const command: SimpleCommand = {
      words: [...words, ...own.words, ...extra.words],
      assignments: namedChildren(node).filter(isAssignment).map(toAssignment),
      redirections: [...own.redirections, ...extra.redirections],
      input: extra.input ?? own.input ?? state.input,
      directories: state.directories,
    };
    commands.push(command);
    walkParts(node.children.filter((part) => part.type !== 'file_redirect').flatMap(toRunParts), state);
    for (const redirect of namedChildren(node).filter(isRedirect)) walkParts(redirect.children, state);
    const target = toChangeOfDirectory(command.words);
    if (target === null) return { ...stay(state), prints: toPrintedText(command) };
    return {
      ok: addStep(state.directories, { to: target }),
      fail: addStep(state.directories, { notTo: target }),
      prints: UNKNOWN,
    };
  };

  const walkRedirected = (node: SyntaxNode, state: ShellStart): Flow => {
    const body = namedChildren(node).find((part) => !isRedirect(part)) ?? null;
    const redirects = namedChildren(node).filter(isRedirect);
    const all = [
      ...redirects,
      ...redirects.flatMap((redirect) => namedChildren(redirect).filter(isRedirect)),
    ];
    const extra = readRedirects(all);
    for (const redirect of all) walkRedirect(redirect, state);
    const first = walkBody(body, state, extra);
    return redirects.reduce((flow, redirect) => walkTail(redirect, flow, state), first);
  };

  const walkBody = (body: SyntaxNode | null, state: ShellStart, extra: Redirects): Flow => {
    if (body?.type === 'command') return walkCommand(body, state, extra);
    // For a shell it is the last command that is redirected, not all of them.
    if (body?.type === 'list') return walkList(body, state, extra);
    if (body?.type === 'pipeline') return walkPipeline(namedChildren(body), state, extra);
    if (extra.words.length > 0) doubts.push('has words behind a redirection that belong to no command');
    commands.push({ ...bare(state), redirections: extra.redirections });
    return body === null ? stay(state) : walk(body, { ...state, input: extra.input ?? state.input });
  };

  const walkRedirect = (redirect: SyntaxNode, state: ShellStart): void => {
    if (redirect.type !== 'heredoc_redirect') {
      walkParts(redirect.children, state);
      return;
    }
    const { scripts, expanded } = readHereDocument(redirect);
    for (const script of scripts) readScript(script, state);
    if (expanded !== null) walkParts(expanded.children, state);
  };

  /** The grammar puts what follows `<<EOF` in the same line into the redirection: `cat <<EOF | sh`. */
  const walkTail = (redirect: SyntaxNode, first: Flow, state: ShellStart): Flow => {
    let flow = first;
    let operator: '&&' | '||' | null = null;
    if (redirect.type !== 'heredoc_redirect') return flow;
    for (const part of redirect.children) {
      if (part.type === '&&' || part.type === '||') operator = part.type;
      else if (part.type === 'pipeline')
        flow = walkPipeline(namedChildren(part), { ...state, input: flow.prints });
      else if (!part.isNamed || isRedirect(part) || isHereDocumentPart(part) || isWordNode(part)) continue;
      else if (operator !== null) flow = continueList(flow, { operator, right: part, state });
      else flow = walkParts([part], state);
    }
    return flow;
  };

  readScript(text, start);
  return { commands, doubts, bombs };
}

/** `[[ 'a[$(…)]' -eq 0 ]]`: bash computes the index, quotes or not. */
function hasHiddenSubscript(node: SyntaxNode): boolean {
  return [...eachNode(node)].some(({ type, text }) => type === 'raw_string' && /\[[^\]]*(\$\(|`)/.test(text));
}

function stay({ directories }: ShellStart): Flow {
  return { ok: directories, fail: directories, prints: UNKNOWN };
}

function bare({ directories, input }: ShellStart): SimpleCommand {
  return { words: [], assignments: [], redirections: [], input, directories };
}
