import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

export const rootFolder = join(import.meta.dirname, '../..');

/** A fenced block of TypeScript in the documentation. */
export interface Example {
  /** Where it stands: `README.md:12`. */
  readonly place: string;
  readonly code: string;
  /** Whether its info string is `ts run`: it is executed, and must exit with 0. */
  readonly runs: boolean;
}

/** All examples of README.md and of docs/. */
export function listExamples(): readonly Example[] {
  const docs = readdirSync(join(rootFolder, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(rootFolder, join(entry.parentPath, entry.name)))
    .sort();
  const readme = readdirSync(rootFolder).filter((name) => name === 'README.md');
  return [...readme, ...docs].flatMap((file) =>
    parseExamples(file, readFileSync(join(rootFolder, file), 'utf8')),
  );
}

export function parseExamples(file: string, text: string): readonly Example[] {
  return [...text.matchAll(/^```ts(?!x)(?<words>[^\n]*)\n(?<code>.*?)^```\s*$/gms)].map((match) => ({
    place: `${file}:${text.slice(0, match.index).split('\n').length}`,
    code: match.groups?.['code'] ?? '',
    runs: /\brun\b/.test(match.groups?.['words'] ?? ''),
  }));
}

/** What a user imports, and the source file it stands for, from the exports of package.json. */
export function readEntryPoints(): Readonly<Record<string, string>> {
  const { name, exports } = JSON.parse(readFileSync(join(rootFolder, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, string | { types: string }>;
  };
  const entries = Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return [];
    const source = target.types.replace('./dist/', './').replace(/\.d\.ts$/, '.ts');
    return [[name + subpath.slice(1), source] as const];
  });
  return Object.fromEntries(entries);
}

/** What the compiler says against the examples, one sentence each, at the place in the document. */
export function checkExamples(examples: readonly Example[]): readonly string[] {
  const files = new Map(
    examples.map((example, index) => [join(rootFolder, `docs/example-${index}.ts`), example]),
  );
  const options = readOptions();
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path)?.code ?? readFile(path);
  const program = ts.createProgram([...files.keys()], options, host);

  return [...files].flatMap(([path, { place }]) => {
    const source = program.getSourceFile(path);
    const found = source === undefined ? [] : ts.getPreEmitDiagnostics(program, source);
    return found.map(({ start, messageText }) => {
      const line = source?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
      const [file, fence] = place.split(':');
      return `${file}:${Number(fence) + line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}

/** The project's own options, with what a user imports led to the sources; an example may leave a name unused. */
function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(rootFolder, 'tsconfig.json'), ts.sys.readFile);
  const paths = Object.fromEntries(
    Object.entries(readEntryPoints()).map(([specifier, source]) => [specifier, [source]]),
  );
  const compilerOptions = { ...config.compilerOptions, paths, noUnusedLocals: false };
  return ts.parseJsonConfigFileContent(
    { compilerOptions, files: [] },
    ts.sys,
    rootFolder,
    undefined,
    join(rootFolder, 'tsconfig.json'),
  ).options;
}
