/**
 * Prints what can be counted about how the code reads, for comparing two commits: `npm run house`. It judges nothing, and no test depends
 * on it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { listSourceFiles, readImports, rootFolder } from './source-imports.ts';

const MAX_FUNCTION_LINES = 100;
const MAX_FILE_LINES = 350;
const SMALL_FILE_LINES = 30;

/** A statechart is read as one picture, however long it is. */
const isChart = (file: string) => file.startsWith('machines/') && file.endsWith('machine.ts');

/** Openings that make a reader look for the noun. */
const vagueOpening =
  /^(what|who|whom|whose|whoever|whatever|which|whichever|where|wherever|whether|when|why|how|of|so|it|its|they|their|them|this|that|these|those|he|she|we|you|one|ones|nobody|somebody|everybody|anybody|nothing|something|everything|all|each|every|both|such|as|for|from|in|on|at|by|with|but|if|once|until|only|now)\b/i;
const vagueTitle =
  /^(what|who|whom|whoever|whatever|which|where|whether|when|why|how|of|so|it|its|they|this|that|these|those|he|one|nobody|somebody|everybody|nothing|everything|such|but|if|once|until)\b/i;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly tree: ts.SourceFile;
}

function readSources(folder: string): readonly Source[] {
  return listSourceFiles(folder).map((path) => {
    const text = readFileSync(join(rootFolder, path), 'utf8');
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    return { path, text, lines: text.split('\n').length - 1, tree };
  });
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function findLongFunctions({ path, tree }: Source): readonly string[] {
  const found: string[] = [];
  walk(tree, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
    const first = tree.getLineAndCharacterOfPosition(node.getStart()).line;
    const length = tree.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1;
    const name = node.name?.getText() ?? 'a function';
    if (length > MAX_FUNCTION_LINES) found.push(`${path}:${first + 1} ${name} has ${length} lines`);
  });
  return found;
}

function countExportedTypes({ tree }: Source): number {
  return tree.statements.filter(
    (statement) =>
      (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
      statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true,
  ).length;
}

function listDocOpenings({
  path,
  text,
}: Source): readonly { readonly where: string; readonly text: string }[] {
  return [...text.matchAll(/\/\*\*\s*\n?\s*\*?\s*([^\n]*)/g)].map((match) => ({
    where: `${path}:${text.slice(0, match.index).split('\n').length}`,
    text: (match[1] ?? '').replace(/\*\/$/, '').trim(),
  }));
}

function listTitles({ path, tree }: Source): readonly { readonly where: string; readonly text: string }[] {
  const titles: { where: string; text: string }[] = [];
  walk(tree, (node) => {
    if (!ts.isCallExpression(node)) return;
    const [first] = node.arguments;
    if (!/^(test|it)\b/.test(node.expression.getText()) || first === undefined) return;
    if (!ts.isStringLiteralLike(first) && !ts.isTemplateExpression(first)) return;
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    titles.push({ where: `${path}:${line + 1}`, text: first.getText().slice(1, -1) });
  });
  return titles;
}

/** Inner files by how many other files of ours import them. */
function countImporters(): ReadonlyMap<string, number> {
  const importers = new Map<string, Set<string>>();
  for (const { from, to, isFile } of code.flatMap(({ path }) => readImports(path))) {
    if (isFile) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  }
  return new Map([...importers].map(([file, from]) => [file, from.size]));
}

const code = [...readSources('machines'), ...readSources('src')];
const tests = readSources('test');
const sum = (sources: readonly Source[]) => sources.reduce((total, { lines }) => total + lines, 0);
const importers = countImporters();
const onlyReader = code.filter(({ path }) => importers.get(path) === 1);
const longFunctions = code.flatMap(findLongFunctions);
const longFiles = code.filter(({ path, lines }) => lines > MAX_FILE_LINES && !isChart(path));
const types = code.reduce((total, source) => total + countExportedTypes(source), 0);
const openings = code.flatMap(listDocOpenings);
const vagueOpenings = openings.filter(({ text }) => vagueOpening.test(text));
const titles = tests.flatMap(listTitles);
const vagueTitles = titles.filter(({ text }) => vagueTitle.test(text));

console.log(`files in src and machines: ${code.length}`);
console.log(`lines in src and machines: ${sum(code)}; in test: ${sum(tests)}`);
console.log(
  `files with one importer: ${onlyReader.length}, of them below ${SMALL_FILE_LINES} lines: ${onlyReader.filter(({ lines }) => lines < SMALL_FILE_LINES).length}`,
);
console.log(
  `functions above ${MAX_FUNCTION_LINES} lines: ${longFunctions.length}; files above ${MAX_FILE_LINES}: ${longFiles.length}`,
);
console.log(`exported types: ${types}, one for ${Math.round(sum(code) / types)} lines`);
console.log(
  `doc comments that open with a pronoun or question word: ${vagueOpenings.length} of ${openings.length}`,
);
console.log(`test titles that do not name their subject: ${vagueTitles.length} of ${titles.length}`);

if (process.argv.includes('--list')) {
  const list = [
    ...longFunctions,
    ...longFiles.map(({ path, lines }) => `${path} has ${lines} lines`),
    ...onlyReader
      .filter(({ lines }) => lines < SMALL_FILE_LINES)
      .map(({ path, lines }) => `${path} has ${lines} lines and one importer`),
    ...vagueOpenings.map(({ where, text }) => `${where} ${text}`),
    ...vagueTitles.map(({ where, text }) => `${where} ${text}`),
  ];
  console.log(list.join('\n'));
}
