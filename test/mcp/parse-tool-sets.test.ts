import { expect, test } from 'vitest';
import { parseToolSets } from '../../src/mcp/parse-tool-sets.ts';

test('sets are named with commas between them', () => {
  const names = parseToolSets('background_process, bg').map(({ name }) => name);

  expect(names).toEqual(['background_process', 'bg_start', 'bg_status', 'bg_output', 'bg_kill']);
});

test('an unknown set is met with the nearest', () => {
  expect(() => parseToolSets('proces')).toThrow('There is no tool set "proces". Did you mean process?');
});
