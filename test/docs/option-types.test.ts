import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
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
  let editor: Editor;

  beforeAll(() => {
    editor = createEditor();
  }, 300_000);

  test('show text for each option', { timeout: 300_000 }, () => {
    const silent = [...Object.keys(optionSchemas), ...withoutSchema].flatMap((name) =>
      editor
        .complete(name)
        .filter(({ text }) => text === '')
        .map((option) => `${name}.${option.name}`),
    );

    expect(silent).toEqual([]);
  });

  test('are complete for createSupervisor', { timeout: 300_000 }, () => {
    const shown = editor.complete('SupervisorOptions').map(({ name }) => name);

    expect(shown.toSorted()).toEqual(
      Object.keys(toShape(optionSchemas['SupervisorOptions'] as never)).toSorted(),
    );
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

interface Editor {
  readonly exports: readonly string[];
  /** The completions within an object of that type, with the text shown beside each. */
  complete(name: string): readonly { readonly name: string; readonly text: string }[];
}

/** A language service over the declaration files that the compiler emits for a package. */
function createEditor(): Editor {
  const files = new Map<string, string>();
  const options = readCompilerOptions();
  const program = ts.createProgram(
    doors.map((door) => join(rootFolder, door)),
    {
      ...options,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: '/emitted',
      rootDir: rootFolder,
    },
  );
  program.emit(undefined, (path, text) =>
    files.set(path.replace(/^\/emitted/, join(rootFolder, 'emitted')), text),
  );

  const folder = join(rootFolder, 'emitted');
  const user = join(folder, 'user.ts');
  const declarations = doors.map((door) => join(folder, door.replace(/\.ts$/, '.d.ts')));
  const exports = new Map<string, string>();
  let version = 0;
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({ ...options, allowImportingTsExtensions: true, noUnusedLocals: false }),
    getScriptFileNames: () => [user, ...declarations],
    getScriptVersion: (path) => (path === user ? String(version) : '1'),
    getScriptSnapshot: (path) => {
      const text = files.get(path) ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => rootFolder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => files.has(path) || ts.sys.fileExists(path),
    readFile: (path) => files.get(path) ?? ts.sys.readFile(path),
    directoryExists: () => true,
  };
  files.set(user, '');
  const service = ts.createLanguageService(host);
  const checked = service.getProgram();
  for (const path of declarations) {
    const file = checked?.getSourceFile(path);
    const module = file && checked?.getTypeChecker().getSymbolAtLocation(file);
    const found = module === undefined ? [] : (checked?.getTypeChecker().getExportsOfModule(module) ?? []);
    for (const { name } of found) if (!exports.has(name)) exports.set(name, path);
  }
  return {
    exports: [...exports.keys()],
    complete: (name) => {
      const path = exports.get(name);
      if (path === undefined) throw new Error(`No door exports ${name}.`);
      const text = `import type { ${name} } from '${path.replace(/\.d\.ts$/, '.js')}';\nexport const given: Partial<${name}> = {  };\n`;
      files.set(user, text);
      version += 1;
      const at = text.indexOf('{  }') + 2;
      const entries = service.getCompletionsAtPosition(user, at, {})?.entries ?? [];
      return entries
        .filter(({ kind }) => kind === ts.ScriptElementKind.memberVariableElement)
        .map((entry) => {
          const details = service.getCompletionEntryDetails(
            user,
            at,
            entry.name,
            {},
            entry.source,
            {},
            entry.data,
          );
          return { name: entry.name, text: ts.displayPartsToString(details?.documentation) };
        });
    },
  };
}

function readCompilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(rootFolder, 'tsconfig.build.json'), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, rootFolder);
  const { noEmit: _, ...options } = parsed.options;
  return options;
}
