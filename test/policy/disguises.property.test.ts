import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPolicy } from '../../src/policy/create-policy.ts';

const denied = fc.constantFrom(
  ['rm', '-rf', '/etc'],
  ['rm', '-r', '--force', '/'],
  ['dd', 'if=/dev/zero', 'of=/dev/sda'],
  ['mkfs.ext4', '/dev/sda1'],
  ['shutdown', '-h', 'now'],
  ['systemctl', 'poweroff'],
  ['pkill', 'node'],
);

/** Different spellings of the same shell word. */
const quotings: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => [...word].map((letter) => (/[a-z]/.test(letter) ? `\\${letter}` : letter)).join(''),
  (word) => `${word.slice(0, 1)}""${word.slice(1)}`,
  (word) => `${word.slice(0, 2)}''${word.slice(2)}`,
  (word) => `$'${[...word].map((letter) => `\\x${letter.charCodeAt(0).toString(16)}`).join('')}'`,
  (word) => `'${word.slice(0, 1)}'"${word.slice(1)}"`,
];

const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Text that runs the command in it. */
const wrappings: readonly ((text: string) => string)[] = [
  (text) => `true && ${text}`,
  (text) => `ls; ${text}`,
  (text) => `echo "a # b"; ${text} # c`,
  (text) => `ls | grep x || ${text}`,
  (text) => `ls\n${text}\nls`,
  (text) => `(${text})`,
  (text) => `{ ${text}\n}`,
  (text) => `echo $(${text})`,
  (text) => `echo "a $(${text}) b"`,
  (text) => `if ls; then ${text}\nfi`,
  (text) => `for x in 1 2; do ${text}\ndone`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `cat <(${text})`,
  (text) => `sh -c ${inShell(text)}`,
  (text) => `sudo -n bash -lc ${inShell(text)}`,
  (text) => `eval ${inShell(text)}`,
  (text) => `trap ${inShell(text)} EXIT`,
  (text) => `bash <<< ${inShell(text)}`,
  (text) => `bash <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`,
  (text) => `cat <<'END_OF_TEXT' | sh\n${text}\nEND_OF_TEXT`,
  (text) => `env X=1 timeout 5 sh -c ${inShell(text)}`,
  (text) => `(${text}) &`,
];

const prefixes = ['', 'sudo ', 'env A=b ', 'nohup ', 'command ', 'nice -n 5 ', 'timeout 9 ', 'X=1 ', '>log '];

test('no quoting and no wrapping makes a denied command allowed', async () => {
  const policy = createPolicy({ mode: 'auto' });
  const disguise = fc
    .tuple(
      denied,
      fc.array(fc.constantFrom(...quotings), { minLength: 4, maxLength: 4 }),
      fc.constantFrom(...prefixes),
      fc.array(fc.constantFrom(...wrappings), { maxLength: 4 }),
    )
    .map(([words, quotes, prefix, layers]) => {
      const command = words.map((word, index) => (quotes[index] ?? String)(word)).join(' ');
      return layers.reduce((text, wrap) => wrap(text), prefix + command);
    });

  await fc.assert(
    fc.asyncProperty(disguise, async (command) => {
      const { type } = await policy.decide({ tool: 't', permission: 'start', start: { command } });
      expect({ command, type }).not.toEqual({ command, type: 'allow' });
    }),
    { numRuns: 300 },
  );
});
