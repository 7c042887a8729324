import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Step } from './check.ts';
import { userProgram } from './user-program.ts';

/** What a user may have beside troupe: another patch of each package whose types meet ours, and the compilers. */
const beside = {
  xstate: '5.33.2',
  rxjs: '7.8.1',
  zod: '4.6.6',
  '@types/node': '24',
  ...Object.fromEntries(
    ['5.9', '6', '7'].map((version) => [`typescript-${version}`, `npm:typescript@${version}`]),
  ),
};

const compilerOptions = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  noEmit: true,
};

/** Compiles a user's program against the packed package, beside other patches of what it is made of, with each TypeScript. */
export function checkTypes(
  tarball: string,
  { folder, run }: { folder: string; run: (step: Step) => string },
): void {
  const project = join(folder, 'types');
  mkdirSync(project);
  const write = (name: string, content: unknown) =>
    writeFileSync(join(project, name), JSON.stringify(content));
  write('package.json', {
    name: 'user',
    private: true,
    type: 'module',
    dependencies: { ...beside, troupe: `file:${tarball}` },
  });
  writeFileSync(join(project, 'program.ts'), userProgram);
  const command = ['npm', 'install', '--prefer-offline', '--ignore-scripts'] as const;
  run({ title: 'it installs beside other patches', command, cwd: project });
  for (const name of ['xstate', 'rxjs', 'zod'] as const) {
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'));
    if (version !== beside[name]) throw new Error(`the project has ${name} ${version}, not ${beside[name]}`);
  }

  for (const version of ['5.9', '6', '7']) {
    for (const skipLibCheck of [true, false]) {
      write('tsconfig.json', {
        compilerOptions: { ...compilerOptions, skipLibCheck },
        files: ['program.ts'],
      });
      const compiler = join(project, `node_modules/typescript-${version}/bin/tsc`);
      const title = `TypeScript ${version} compiles a user's program, skipLibCheck ${skipLibCheck ? 'on' : 'off'}`;
      run({ title, command: [process.execPath, compiler, '-p', '.'], cwd: project });
    }
  }
}

/** Throws unless the declaration files of an installed package are those that its doors need. */
export function checkDeclarations(packageFolder: string): void {
  const { exports } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const doors = Object.values(exports).flatMap((door) => (typeof door === 'string' ? [] : [door.types]));
  const program = ts.createProgram(
    doors.map((door) => join(packageFolder, door)),
    {
      module: ts.ModuleKind.NodeNext,
      noLib: true,
      types: [],
      allowImportingTsExtensions: true,
      noEmit: true,
    },
  );
  const needed = new Set(program.getSourceFiles().map(({ fileName }) => fileName));
  const packed = globSync('dist/**/*.d.ts', { cwd: packageFolder }).map((path) => join(packageFolder, path));
  const unneeded = packed.filter((path) => !needed.has(path));
  if (packed.length === 0 || unneeded.length > 0)
    throw new Error(`declarations that no door needs: ${unneeded.slice(0, 5).join(', ') || 'none packed'}`);
  console.log(`ok    its ${packed.length} declaration files are all needed`);
}
