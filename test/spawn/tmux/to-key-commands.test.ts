import { expect, test } from 'vitest';
import { parseKeys } from '../../../src/spawn/terminal/parse-keys.ts';
import { toPauseMs } from '../../../src/spawn/terminal/press-keys.ts';
import { toKeyCommands } from '../../../src/spawn/tmux/to-key-commands.ts';

test('a key after Escape is not taken for Alt', () => {
  const parsed = parseKeys(['Escape', 'C-[', 'C-3', 'a']);
  if (!parsed.ok) throw new Error(parsed.error);

  const { commands, lastsMs } = toKeyCommands(parsed.strokes, '=x:');

  const pausesMs = commands
    .filter(([verb]) => verb === 'run-shell')
    .map(([, , pause]) => Number(pause) * 1_000);
  expect(pausesMs.slice(0, 3).every((pauseMs) => pauseMs >= 150)).toBe(true);
  expect(pausesMs).toEqual(parsed.strokes.map(toPauseMs));
  expect(lastsMs).toBe(pausesMs.reduce((sum, pauseMs) => sum + pauseMs));
});
