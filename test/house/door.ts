import { dirname, join } from 'node:path';
import ts from 'typescript';
import { rootFolder } from './source-imports.ts';

/** Only files of ours are read: what a package exports is its own affair. */
const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  allowImportingTsExtensions: true,
  noEmit: true,
  noLib: true,
  types: [],
};

/**
 * Types that the signatures of a door's exports speak of, followed to any depth, and that can be imported neither from it nor from
 * another door `beside` it: each by name, with what needs it. A type that its own file keeps to itself is followed and not named.
 */
export function findHiddenTypes(
  door: string,
  { beside = [] }: { beside?: readonly string[] } = {},
): ReadonlyMap<string, string> {
  const doors = [door, ...beside].map((file) => join(rootFolder, file));
  const program = ts.createProgram(doors, options, createHost());
  const checker = program.getTypeChecker();
  const resolve = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exportsOf = (path: string) => {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    return module === undefined ? [] : checker.getExportsOfModule(module).map(resolve);
  };

  const exported = new Set(doors.flatMap(exportsOf));
  const hidden = new Map<string, string>();
  const seen = new Set<ts.Symbol>();

  const visitSymbol = (symbol: ts.Symbol): void => {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    for (const declaration of symbol.declarations ?? []) visitSignature(declaration, symbol.name);
  };
  const visitSignature = (node: ts.Node, owner: string): void => {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      meet(ts.isTypeReferenceNode(node) ? node.typeName : node.expression, owner);
    }
    ts.forEachChild(node, (child) => {
      if (!isInside(child)) visitSignature(child, owner);
    });
  };
  const meet = (name: ts.Node, owner: string): void => {
    const found = checker.getSymbolAtLocation(name);
    const symbol = found && resolve(found);
    if (symbol === undefined || !isOurs(symbol)) return;
    if (!exported.has(symbol) && isExportedByItsFile(symbol)) hidden.set(symbol.name, owner);
    visitSymbol(symbol);
  };
  for (const symbol of doors.slice(0, 1).flatMap(exportsOf)) visitSymbol(symbol);
  return hidden;
}

/** What a declaration file would leave out. */
function isInside(node: ts.Node): boolean {
  if (ts.isBlock(node) || ts.isSourceFile(node)) return true;
  const { modifiers } = node as { modifiers?: readonly ts.Node[] };
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)) return true;
  const { parent } = node;
  return (
    (ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent)) && parent.initializer === node
  );
}

/** A type parameter stands in a file of ours as well, and has no name outside of it. */
function isOurs({ flags, declarations = [] }: ts.Symbol): boolean {
  const isNamed =
    (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class)) !== 0;
  return isNamed && declarations.some((node) => node.getSourceFile().fileName.startsWith(rootFolder));
}

function isExportedByItsFile({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(
    (node) => (ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.Export) !== 0,
  );
}

/** Each file is parsed once for all doors. */
const parsed = new Map<string, ts.SourceFile | undefined>();

function createHost(): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...more) => {
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...more));
    return parsed.get(path);
  };
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => ({
      resolvedModule: text.startsWith('.')
        ? { resolvedFileName: join(dirname(from), text), extension: ts.Extension.Ts }
        : undefined,
    }));
  return host;
}
