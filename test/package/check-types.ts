import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
