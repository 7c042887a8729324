import { join } from 'node:path';
import ts from 'typescript';
import { readDoors } from '../../src/packing/doors.ts';

const root = join(import.meta.dirname, '../..');

/** An option as its interface declares it. */
export interface DocumentedOption {
  readonly name: string;
  /** The declared type on one line, without `undefined`. */
  readonly type: string;
  readonly isRequired: boolean;
  /** The interface that declares it; `null` for an object that is written in place. */
  readonly declaredBy: string | null;
  /** The doc comment on one line, without the default. */
  readonly text: string;
  /** Text after `Default` in the doc comment, without the final full stop; `null` if there is none. */
  readonly default: string | null;
  /** The options of an object that is written in place. */
  readonly options: readonly DocumentedOption[];
}

export interface DocumentedInterface {
  readonly name: string;
  readonly text: string;
  readonly options: readonly DocumentedOption[];
}

/** Reads interfaces of options from what the entry points export, by name. */
export function createOptionReader(): (name: string) => DocumentedInterface {
  const { find, checker } = createExportReader();
  return (name) => {
    const symbol = find(name);
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    return { name, text: toText(symbol, checker), options: readProperties(type, checker) };
  };
}

/** Lists the values of `type` that an exported union of events, or of their names, has. */
export function createEventReader(): (name: string) => readonly string[] {
  const { find, checker } = createExportReader();
  return (name) => {
    const type = checker.getDeclaredTypeOfSymbol(find(name));
    const members = type.isUnion() ? type.types : [type];
    const names = members.flatMap((member) => {
      const property = member.getProperty('type');
      const named = property === undefined ? member : checker.getTypeOfSymbol(property);
      return named.isUnion() ? named.types : [named];
    });
    return names.flatMap((each) => (each.isStringLiteral() ? [each.value] : [])).toSorted();
  };
}

let shared: ReturnType<typeof readExports> | null = null;

/** One program serves all pages. */
function createExportReader() {
  shared ??= readExports();
  return shared;
}

function readExports() {
  const files = Object.values(readDoors()).map((door) => join(root, door));
  const program = ts.createProgram(files, { ...compilerOptions(), noEmit: true });
  const checker = program.getTypeChecker();
  const symbols = files.flatMap((path) => {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    return module === undefined ? [] : checker.getExportsOfModule(module);
  });
  const find = (name: string): ts.Symbol => {
    const found = symbols.find((symbol) => symbol.name === name);
    if (found === undefined) throw new Error(`No door exports ${name}.`);
    return found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  };
  return { find, checker };
}

/** The last sentence of a comment, where it gives the default. */
const DEFAULT = /^(.*?)(?:(?:^|(?<=[.:*`]) )Default(?:: | (?=[\d`A-Z]))(?!.*[.] Default)(.*?)\.?)?$/s;

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root).options;
}

function readProperties(type: ts.Type, checker: ts.TypeChecker): readonly DocumentedOption[] {
  return checker.getPropertiesOfType(type).map((property) => readOption(property, checker));
}

function readOption(property: ts.Symbol, checker: ts.TypeChecker): DocumentedOption {
  const declaration = property.declarations?.find(ts.isPropertySignature);
  const [, text = '', found] = DEFAULT.exec(toText(property, checker)) ?? [];
  const inPlace = findLiteral(declaration?.type);
  return {
    name: property.name,
    type: toTypeText(declaration?.type),
    declaredBy: findOwner(declaration),
    isRequired: (property.flags & ts.SymbolFlags.Optional) === 0,
    text: text.trim(),
    default: found ?? null,
    options: inPlace === undefined ? [] : readProperties(checker.getTypeFromTypeNode(inPlace), checker),
  };
}

function toText(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return text.replaceAll(/\s+/g, ' ').trim();
}

function findOwner(declaration: ts.PropertySignature | undefined): string | null {
  const parent = declaration?.parent;
  return parent !== undefined && ts.isInterfaceDeclaration(parent) ? parent.name.text : null;
}

function findLiteral(node: ts.TypeNode | undefined): ts.TypeLiteralNode | undefined {
  if (node === undefined) return undefined;
  if (ts.isTypeLiteralNode(node)) return node;
  return ts.isUnionTypeNode(node) ? node.types.find(ts.isTypeLiteralNode) : undefined;
}

function toTypeText(node: ts.TypeNode | undefined): string {
  if (node === undefined) return '';
  if (findLiteral(node)?.members.some((member) => member.getFullText().includes('/**'))) return 'object';
  const text = node.getText().replaceAll(/\s+/g, ' ');
  return text.replace(/ \| undefined$/, '').replace(/^\| /, '');
}
