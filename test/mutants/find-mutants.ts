import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import ts from 'typescript';

/** Change of a source file. */
export interface Mutant {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Line, counted from 1. */
  readonly line: number;
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
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest);
  const { mutants } = await new Instrumenter(logger).instrument([{ name: file, content, mutate: true }], {
    plugins: null,
    ignorers: [],
    excludedMutations: [],
    noHeader: true,
  });
  return mutants.map(({ location: { start, end }, mutatorName, replacement }) => {
    const from = source.getPositionOfLineAndCharacter(start.line, start.column);
    const to = source.getPositionOfLineAndCharacter(end.line, end.column);
    const mutated = content.slice(0, from) + replacement + content.slice(to);
    const before = content.slice(from, to);
    return { file, line: start.line + 1, mutator: mutatorName, before, after: replacement ?? '', mutated };
  });
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
