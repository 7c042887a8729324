import { spawnSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createShellGrammar } from '../../src/policy/shell/shell-grammar.ts';
import { createShellParser } from '../../src/policy/shell/shell-parser.ts';
import { decideStart } from './arrange.ts';

const auto = { mode: 'auto', workspace: '/work/project' } as const;
const inWorkspace = { ...auto, restrictToWorkspace: true } as const;

/** Longest time in ms that a decision held the event loop, measured twice: the first time warms the grammar up. */
async function measureHold(command: string, options: object = auto): Promise<number> {
  await decideStart(options, command);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await decideStart(options, command);
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  return delay.max / 1e6;
}

const attacks: readonly (readonly [string, string])[] = [
  ['a long pipe', 'a|'.repeat(32_000)],
  ['a long list', 'a&&'.repeat(21_000)],
  ['nested functions', 'f(){'.repeat(16_000)],
  ['nested substitutions', '$('.repeat(10_000)],
  ['nested arrays', 'a=('.repeat(20_000)],
  ['nested strings', '"$('.repeat(20_000)],
  ['backticks', 'echo `a`;'.repeat(2_200)],
  ['many commands', 'rm;'.repeat(7_000)],
  ['many words', `xargs ${'rm '.repeat(7_000)}`],
  ['many here-documents', '<<a '.repeat(16_000)],
  ['a long path', `cat ${'a/'.repeat(32_000)}`],
  ['many globs', `cat ${'*/'.repeat(2_000)}`],
];

test.each(attacks)('%s is answered, and the next command is read', async (_, command) => {
  expect(['ask', 'allow']).toContain((await decideStart(inWorkspace, command)).type);

  expect((await decideStart(inWorkspace, 'ls')).type).toBe('allow');
  expect((await decideStart(inWorkspace, 'rm -rf /')).type).toBe('deny');
});

test.each(attacks)('%s does not hold the event loop', async (_, command) => {
  // The goal is 20 ms; a machine with other work stops a program for longer.
  expect(await measureHold(command, inWorkspace)).toBeLessThan(200);
});

test('a grammar that died is replaced', async () => {
  let loads = 0;
  const grammar = createShellGrammar(async () => {
    loads++;
    if (loads > 1) return createShellParser();
    return {
      parse: () => {
        throw new Error('Aborted()');
      },
      reset: () => {},
    };
  });

  await expect(grammar.parse('ls')).rejects.toThrow('Aborted()');

  expect(await grammar.parse('ls')).toMatchObject({ hasError: false });
  expect(loads).toBe(2);
});

test('the lexer is not optimized, which takes 700 MB', () => {
  const parser = fileURLToPath(new URL('../../src/policy/shell/shell-parser.ts', import.meta.url));
  const script = `const { createShellParser } = await import(${JSON.stringify(parser)});
    const parser = await createShellParser();
    for (let i = 0; i < 50; i += 1) parser.parse('npm test | grep failed && echo "$HOME" > /tmp/out');`;

  const { stdout } = spawnSync(
    process.execPath,
    ['--trace-wasm-compilation-times', '--input-type=module', '-e', script],
    { encoding: 'utf8' },
  );

  const sizes = stdout.matchAll(/using (\w+), .* bodysize (\d+)/g);
  const compiled = [...sizes].map(([, compiler, size]) => ({ compiler, size: Number(size) }));
  expect(compiled.filter(({ size }) => size > 100_000)).toEqual([
    { compiler: 'Liftoff', size: expect.any(Number) },
  ]);
});
