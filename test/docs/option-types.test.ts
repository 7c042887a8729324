import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { optionSchemas } from '../../docs/reference/option-schemas.ts';
import { createOptionReader, type DocumentedOption } from '../../docs/reference/read-options.ts';
import { describeDefault, toShape } from '../../docs/reference/schema-default.ts';
import { agentPolicyOptions, agentSupervisorOptions } from '../../src/config/agent-file-schema.ts';
import { toSnakeCase } from '../../src/config/file-section.ts';
import { readDoors } from '../../src/packing/doors.ts';
import { rootFolder } from './examples.ts';

/** Interfaces of options that are checked by hand or by the compiler alone. */
const withoutSchema = [
  'LimitOptions',
  'OutputOptions',
  'HintOptions',
  'ProcessOptions',
  'ReadyOptions',
  'RestartOptions',
  'SizeOptions',
  'LocalStoreOptions',
  'SandboxOptions',
  'LiveHandlerOptions',
  'InspectorOptions',
  'RecorderOptions',
  'ListenOptions',
  'RemoteStoreOptions',
  'AgentOptions',
  'RunOptions',
  'ModelSettings',
  'AgentToolSettings',
  'AgentSupervisorSettings',
  'AgentHintSettings',
  'AgentPolicySettings',
  'AgentPolicyTools',
  'AgentPolicyCommands',
  'DelegationSettings',
  'ContextSettings',
  'AgentLimits',
  'ToolCallOptions',
  'McpServerOptions',
  'McpFetchOptions',
  'MachineTestOptions',
  'SurvivorOptions',
  'McpRunOptions',
  'HttpOptions',
  'ScriptedBackendOptions',
  'PathOptions',
  'LoadOptions',
];

const doors = Object.values(readDoors());

describe('the options in an editor', () => {
  // In the repository, where the declarations find the packages.
  const folder = join(rootFolder, `.vitest/declarations-${process.pid}`);
  let editor: Editor;

  beforeAll(() => {
    editor = createEditor(folder);
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('show text for each option', { timeout: 300_000 }, () => {
    const options = [...Object.keys(optionSchemas), ...withoutSchema].map((name) => ({
      name,
      options: editor.read(name),
    }));

    const silent = options.flatMap(({ name, options }) =>
      options.filter(({ text }) => text === '').map((option) => `${name}.${option.name}`),
    );
    expect(options.filter(({ options }) => options.length === 0)).toEqual([]);
    expect(silent).toEqual([]);
  });

  test('are complete for createSupervisor', { timeout: 300_000 }, () => {
    const shown = editor.complete('SupervisorOptions');

    expect(shown.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(toShape(optionSchemas['SupervisorOptions'] as never)).toSorted(),
    );
    const byName = (a: Option, b: Option) => a.name.localeCompare(b.name);
    expect(shown.toSorted(byName)).toEqual(editor.read('SupervisorOptions').toSorted(byName));
  });

  test('are listed here, each exported interface', () => {
    const exported = editor.exports.filter((name) => /(Options|Spec|Changes|Order)$/.test(name));
    // A union of the two specs with `GroupMemberOptions`; the others are no options of a call.
    const others = ['GroupProcessSpec', 'StopOrder', 'DeadlineOrder'];

    const listed = new Set([...Object.keys(optionSchemas), ...withoutSchema, ...others]);
    expect(exported.filter((name) => !listed.has(name))).toEqual([]);
  });
});

describe('the defaults in doc comments', () => {
  const read = createOptionReader();

  test.each(Object.entries(optionSchemas))('match the schema of %s', (name, schema) => {
    const wrong = findWrong(read(name).options, toShape(schema));

    expect(wrong).toEqual([]);
  });
});

describe('the defaults in the doc comments of an agent file', () => {
  const read = createOptionReader();
  const sections = [
    ['AgentSupervisorSettings', 'SupervisorOptions', agentSupervisorOptions],
    ['AgentHintSettings', 'HintOptions', agentSupervisorOptions.shape.hints.unwrap()],
    ['AgentPolicySettings', 'PolicyOptions', agentPolicyOptions],
  ] as const;

  test.each(sections)('match those of the options in %s', (section, options, { shape }) => {
    const toDefaults = (name: string, rename: (option: string) => string) =>
      Object.fromEntries(read(name).options.map((option) => [rename(option.name), option.default]));

    const written = toDefaults(section, (name) => name);

    const known = toDefaults(options, (name) => toSnakeCase(name === 'timeout' ? 'defaultTimeout' : name));
    const expected = Object.keys(shape).map((key) => [toSnakeCase(key), known[toSnakeCase(key)]]);
    expect(written).toEqual(Object.fromEntries(expected));
  });
});

/** Says for each default that the schema has and the comment does not give what is expected. */
function findWrong(
  options: readonly DocumentedOption[],
  shape: ReturnType<typeof toShape>,
): readonly string[] {
  return options.flatMap((option) => {
    const schema = shape[option.name];
    if (schema === undefined) return [`${option.name} is no option`];
    const innerShape = toShape(schema);
    const inner = Object.keys(innerShape).length === 0 ? [] : findWrong(option.options, innerShape);
    const expected = describeDefault(schema, option);
    const isGiven = expected === null || startsWithWord(option.default ?? '', expected);
    return isGiven ? inner : [...inner, `${option.name}: Default ${option.default}; expected ${expected}`];
  });
}

function startsWithWord(text: string, start: string): boolean {
  return text === start || [',', ':', ';'].some((mark) => text.startsWith(start + mark));
}

interface Option {
  readonly name: string;
  /** Text that an editor shows beside the name. */
  readonly text: string;
}

interface Editor {
  readonly exports: readonly string[];
  /** Returns the options of an exported interface. */
  read(name: string): readonly Option[];
  /** Completes within an object of that type. */
  complete(name: string): readonly Option[];
}

/** Creates a language service over the declaration files of the package, which it emits into `folder`. */
function createEditor(folder: string): Editor {
  emitDeclarations(folder);
  const user = join(folder, 'user.ts');
  const declarations = doors.map((door) => join(folder, door.replace(/\.ts$/, '.d.ts')));
  const options = readCompilerOptions();
  let text = '';
  let version = 0;
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({ ...options, allowImportingTsExtensions: true, noUnusedLocals: false }),
    getScriptFileNames: () => [user, ...declarations],
    getScriptVersion: (path) => (path === user ? String(version) : '1'),
    getScriptSnapshot: (path) => {
      const content = path === user ? text : ts.sys.readFile(path);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => rootFolder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === user || ts.sys.fileExists(path),
    readFile: (path) => (path === user ? text : ts.sys.readFile(path)),
    directoryExists: () => true,
  };
  const service = ts.createLanguageService(host);
  const program = service.getProgram();
  if (program === undefined) throw new Error('The declarations cannot be read.');
  const checker = program.getTypeChecker();
  const exported = new Map(
    declarations.toReversed().flatMap((path) => {
      const file = program.getSourceFile(path);
      const module = file && checker.getSymbolAtLocation(file);
      const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
      return symbols.map((symbol) => [symbol.name, { symbol, path }] as const);
    }),
  );
  const find = (name: string) => {
    const found = exported.get(name);
    if (found === undefined) throw new Error(`No door exports ${name}.`);
    return found;
  };
  return {
    exports: [...exported.keys()],
    read: (name) => {
      const { symbol } = find(name);
      const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(declared)).map((property) => ({
        name: property.name,
        text: ts.displayPartsToString(property.getDocumentationComment(checker)),
      }));
    },
    complete: (name) => {
      const module = find(name).path.replace(/\.d\.ts$/, '.js');
      text = `import type { ${name} } from '${module}';\nexport const given: Partial<${name}> = {  };\n`;
      version += 1;
      const at = text.indexOf('{  }') + 2;
      const entries = service.getCompletionsAtPosition(user, at, {})?.entries ?? [];
      return entries
        .filter(({ kind }) => kind === ts.ScriptElementKind.memberVariableElement)
        .map((entry) => {
          const { name: option, source, data } = entry;
          const details = service.getCompletionEntryDetails(user, at, option, {}, source, {}, data);
          return { name: option, text: ts.displayPartsToString(details?.documentation) };
        });
    },
  };
}

/** Emits the declaration files without a type check, which is the work of `npm run types`. */
function emitDeclarations(folder: string): void {
  const compiler = join(rootFolder, 'node_modules/@typescript/native/bin/tsc');
  const options = [
    '-p',
    'tsconfig.build.json',
    '--emitDeclarationOnly',
    '--declarationMap',
    'false',
    '--noCheck',
  ];
  execFileSync(process.execPath, [compiler, ...options, '--outDir', folder], { cwd: rootFolder });
}

function readCompilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(rootFolder, 'tsconfig.build.json'), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, rootFolder);
  const { noEmit: _, ...options } = parsed.options;
  return options;
}
