import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { toOpenAiTools } from '../../src/tools/dialects/function-tools.ts';
import { toMcpTools } from '../../src/tools/dialects/mcp-tools.ts';
import type { StandardIssue, StandardSchema } from '../../src/tools/standard-schema.ts';
import { arrange, errorOf } from './arrange.ts';

interface Distance {
  readonly metres: number;
}

const jsonSchema = { type: 'object', properties: { metres: { type: 'number' } }, required: ['metres'] };

test('a schema of any library types and validates the input of a tool', async () => {
  await using given = arrange({ wiring: { tools: [jumpTool(distance)] } });

  const answer = await given.call('jump', { metres: 3 });

  expect(answer).toMatchObject({ ok: true, data: { kilometres: 0.003 } });
});

test.for([
  ['a number written as text', { metres: '3' }, null],
  ['a missing field', {}, 'metres is required'],
  ['an empty field', { metres: '' }, 'metres is required'],
  ['a value that is refused', { metres: 'far' }, 'jump: "metres": not a number'],
  ['a whole that is refused', { metres: 3, feet: 9 }, 'jump: metres or feet, not both'],
] as const)('a schema of any library answers %s', async ([, input, error]) => {
  await using given = arrange({ wiring: { tools: [jumpTool(distance)] } });

  const answer = await given.call('jump', input);

  if (error === null) expect(answer).toMatchObject({ ok: true });
  else expect(errorOf(answer)).toBe(error);
});

test('a schema that offers no JSON Schema needs one beside it', () => {
  const { jsonSchema: _, ...standard } = distance['~standard'];
  const silent: StandardSchema<unknown, Distance> = { '~standard': standard };

  expect(() => toOpenAiTools([jumpTool(silent)])).toThrow(
    'the input of "jump" is a schema of test, which offers no JSON Schema. Give it as "inputSchema".',
  );
  const [tool] = toOpenAiTools([jumpTool(silent, { inputSchema: jsonSchema })]);
  expect(tool?.function.parameters).toEqual(jsonSchema);
});

test('a schema that validates later is refused', async () => {
  const later: StandardSchema<unknown, Distance> = {
    '~standard': { ...distance['~standard'], validate: async () => ({ value: { metres: 1 } }) },
  };
  await using given = arrange({ wiring: { tools: [jumpTool(later)] } });

  const answer = await given.call('jump', { metres: 3 });

  expect(errorOf(answer)).toContain('its schema returns a promise');
});

test('a host sees the output that a schema of any library describes', () => {
  const [tool] = toMcpTools([jumpTool(distance, { output: z.object({ kilometres: z.number() }) })]);

  expect(tool?.outputSchema?.['properties']).toMatchObject({
    data: { type: 'object', properties: { kilometres: { type: 'number' } } },
  });
});

/** A schema of no library. */
const distance: StandardSchema<unknown, Distance> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const issues = findIssues(value as Record<string, unknown>);
      return issues.length === 0 ? { value: value as Distance } : { issues };
    },
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
  },
};

function findIssues({ metres, feet }: Record<string, unknown>): readonly StandardIssue[] {
  if (typeof metres !== 'number') return [{ message: 'not a number', path: [{ key: 'metres' }] }];
  return feet === undefined ? [] : [{ message: 'metres or feet, not both' }];
}

function jumpTool(
  input: StandardSchema<unknown, Distance>,
  more: { readonly inputSchema?: Record<string, unknown>; readonly output?: StandardSchema } = {},
) {
  return defineTool({
    name: 'jump',
    description: 'Jumps.',
    input,
    ...more,
    execute: async ({ metres }) => ({ ok: true, data: { kilometres: metres / 1_000 } }),
  });
}
