import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

export const rootFolder = join(import.meta.dirname, '../..');

/** One import as it stands in a file. `type` leaves nothing behind when types are stripped. */
export interface SourceImport {
  /** The importing file, from the root of the repository. */
  readonly from: string;
  /** A file from the root of the repository, or the specifier of a package or builtin as written. */
  readonly to: string;
  readonly kind: 'static' | 'dynamic' | 'type';
  readonly isFile: boolean;
}

/** TypeScript files of ours in a folder of the repository, at any depth, from its root: no packages, and nothing that git ignores. */
export function listSourceFiles(folder: string): readonly string[] {
  const files = globSync(join(folder, '**/*.{ts,tsx}'), {
    cwd: rootFolder,
    exclude: ['**/node_modules'],
  });
  const ignored = listIgnored(files);
  return files.filter((file) => !ignored.has(file)).sort();
}

/** Returns no ignored files if the tree is no repository, such as a copy. */
function listIgnored(files: readonly string[]): ReadonlySet<string> {
  const { stdout } = spawnSync('git', ['check-ignore', '--stdin', '-z'], {
    cwd: rootFolder,
    input: files.join('\0'),
    encoding: 'utf8',
  });
  return new Set((stdout ?? '').split('\0'));
}

/** Each file is parsed once. */
const known = new Map<string, readonly SourceImport[]>();

export function readImports(file: string): readonly SourceImport[] {
  const found = known.get(file) ?? parseImports(file, readFileSync(join(rootFolder, file), 'utf8'));
  known.set(file, found);
  return found;
}

export function parseImports(file: string, text: string): readonly SourceImport[] {
  const found: SourceImport[] = [];
  const add = (specifier: ts.Node | undefined, kind: SourceImport['kind']) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isFile = specifier.text.startsWith('.');
    found.push({
      from: file,
      to: isFile ? join(dirname(file), specifier.text) : specifier.text,
      kind,
      isFile,
    });
  };

  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const isType = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      add(node.moduleSpecifier, isType ? 'type' : 'static');
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'static');
    } else if (ts.isImportTypeNode(node)) {
      if (ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, 'type');
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], 'dynamic');
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false));
  return found;
}
