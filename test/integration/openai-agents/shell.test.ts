import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly outcome: object;
}

interface Seen {
  /** Commands that wait for an approval. */
  readonly asked: number;
  /** The items that the model sees. */
  readonly results: readonly { readonly output: readonly Output[]; readonly maxOutputLength?: number }[];
  /** The statuses of the processes. */
  readonly ends: readonly string[];
  readonly notice: string | null;
  readonly live: number;
}

test('every command of an action is reported as it ended', () => {
  const commands = ['echo a; echo b >&2; exit 3', 'kill -SEGV $$', 'rm -rf x', 'no-such-program', 'echo c'];

  const { results, notice } = runAction('dangerous', { commands });

  expect(results[0]?.output).toEqual([
    { stdout: 'a\n', stderr: 'b\n', outcome: { type: 'exit', exitCode: 3 } },
    { stdout: '', stderr: expect.stringContaining('SIGSEGV'), outcome: { type: 'exit', exitCode: 139 } },
    { stdout: '', stderr: expect.stringContaining('Denied'), outcome: { type: 'exit', exitCode: 126 } },
    { stdout: '', stderr: expect.stringContaining('not found'), outcome: { type: 'exit', exitCode: 127 } },
    { stdout: 'c\n', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
  ]);
  expect(notice).toBe(null);
});

test('a command that exceeds its time is gone with its tree', () => {
  const marker = `60.${process.pid}`;
  const commands = [`echo begun; sleep ${marker} & sleep ${marker}`, 'echo next'];

  // Long enough for the second command, also while browsers run beside it.
  const { results, ends, notice, live } = runAction('dangerous', { commands, timeoutMs: 5_000 });

  expect(results[0]?.output).toEqual([
    { stdout: 'begun\n', stderr: expect.stringContaining('is gone'), outcome: { type: 'timeout' } },
    { stdout: 'next\n', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
  ]);
  expect(ends.toSorted()).toEqual(['completed', 'killed']);
  expect(notice).toBe(null);
  expect(live).toBe(0);
  expect(commandLines()).not.toContain(`sleep ${marker}`);
});

test('the two texts of a command keep head and tail within the limit', () => {
  const commands = ['seq 100000; seq 100000 >&2'];

  const { results } = runAction('dangerous', { commands, maxOutputLength: 400 });

  const { stdout = '', stderr = '' } = results[0]?.output[0] ?? {};
  expect(stdout.length + stderr.length).toBeLessThanOrEqual(400);
  for (const text of [stdout, stderr])
    expect(text).toMatch(/^1\n2\n[\s\S]*\[… \d+ bytes left out …\][\s\S]*\n100000\n$/);
  expect(results[0]?.maxOutputLength).toBe(400);
  const shown = stdout.replace(/\[… \d+ bytes left out …\]\n/, '');
  const leftOut = Number(/(\d+) bytes left out/.exec(stdout)?.[1]);
  expect(shown.length + leftOut).toBe(588_895);
});

test('an action that the policy does not decide waits for a person', () => {
  const { asked, results, ends } = runAction('default', { commands: ['git status', 'touch x'] });

  expect(asked).toBe(1);
  expect(results).toEqual([]);
  expect(ends).toEqual([]);
});

test('a policy that denies commands runs none', () => {
  const { results, ends } = runAction('ci', { commands: ['touch x'] });

  expect(results[0]?.output).toMatchObject([{ outcome: { type: 'exit', exitCode: 126 } }]);
  expect(ends).toEqual([]);
});

function runAction(mode: string, action: object): Seen {
  const program = join(import.meta.dirname, 'shell.ts');
  return JSON.parse(
    execFileSync(process.execPath, [program, mode, JSON.stringify(action)], { encoding: 'utf8' }),
  );
}

function commandLines(): string {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
}
