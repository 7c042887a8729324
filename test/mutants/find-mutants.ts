import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import ts from 'typescript';

/** Place in a file; lines and columns are counted from 0. */
export interface Location {
  readonly start: Position;
  readonly end: Position;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Change of a source file. */
export interface Mutant {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Line, counted from 1. */
  readonly line: number;
  readonly location: Location;
  /** Runs once, when the file is loaded, and not in a function. */
  readonly isStatic: boolean;
  readonly mutator: string;
  readonly before: string;
  readonly after: string;
  /** The whole file with the change. */
  readonly mutated: string;
}

const silent = () => {};
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
};

/** Lists what StrykerJS's mutators can change in a file. */
export async function findMutants(root: string, file: string): Promise<readonly Mutant[]> {
  const content = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  const { mutants } = await instrument({ name: file, content, mutate: true });
  return mutants.map(({ location, mutatorName, replacement }) => {
    const { start, end } = location;
    const from = source.getPositionOfLineAndCharacter(start.line, start.column);
    const to = source.getPositionOfLineAndCharacter(end.line, end.column);
    const mutated = content.slice(0, from) + replacement + content.slice(to);
    const before = content.slice(from, to);
    return {
      file,
      line: start.line + 1,
      location,
      isStatic: !isInFunction(source, from),
      mutator: mutatorName,
      before,
      after: replacement ?? '',
      mutated,
    };
  });
}

/** Code of a file in which each place calls `stryCov_9fa48` with its ids before it runs, and the ids by place. */
export interface Instrumented {
  readonly code: string;
  readonly ids: (location: Location) => readonly string[];
}

/** Instruments places of a file; the functions that the code calls are not part of it. */
export async function instrumentPlaces(
  root: string,
  file: string,
  places: readonly Location[],
): Promise<Instrumented> {
  const content = readFileSync(join(root, file), 'utf8');
  const { files, mutants } = await instrument({ name: file, content, mutate: [...places] });
  return {
    code: files[0]?.content ?? content,
    ids: (location) => mutants.filter((mutant) => isSamePlace(mutant.location, location)).map(({ id }) => id),
  };
}

type InstrumentedFile = Parameters<Instrumenter['instrument']>[0][number];

function instrument(file: InstrumentedFile): ReturnType<Instrumenter['instrument']> {
  return new Instrumenter(logger).instrument([file], {
    plugins: null,
    ignorers: [],
    excludedMutations: [],
    noHeader: true,
  });
}

function isSamePlace(one: Location, other: Location): boolean {
  return isDeepStrictEqual([one.start, one.end], [other.start, other.end]);
}

function isInFunction(source: ts.SourceFile, position: number): boolean {
  const around = (node: ts.Node): boolean =>
    node.getStart(source) <= position &&
    position < node.end &&
    (ts.isFunctionLike(node) || (ts.forEachChild(node, around) ?? false));
  return ts.forEachChild(source, around) ?? false;
}

/** Tells whether the changed file still parses: a replacement stands without the parentheses that its place may need. */
export function parses({ file, mutated }: Mutant): boolean {
  const { diagnostics } = ts.transpileModule(mutated, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      jsx: ts.JsxEmit.ReactJSX,
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ESNext,
    },
  });
  return (diagnostics ?? []).length === 0;
}
