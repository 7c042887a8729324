import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/tools/define-tool.ts';
import {
  toAnthropicTools,
  toGeminiTools,
  toOpenAiTools,
} from '../../../src/tools/dialects/function-tools.ts';
import { toMcpTools } from '../../../src/tools/dialects/mcp-tools.ts';
import { toInputSchema } from '../../../src/tools/input-schema.ts';
import { allTools } from '../arrange.ts';

const words = ['type', 'description', 'enum', 'items', 'minimum', 'maximum'];

describe.for(allTools)('$name', (tool) => {
  test('has a flat schema that every provider takes', () => {
    const schema = toInputSchema(tool) as {
      properties: Record<string, Record<string, unknown>>;
      required?: string[];
    };

    expect(Object.keys(schema)).toEqual(
      expect.arrayContaining(['type', 'properties', 'additionalProperties']),
    );
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const name of schema.required ?? []) expect(schema.properties).toHaveProperty(name);
    for (const property of Object.values(schema.properties)) {
      expect(words).toEqual(expect.arrayContaining(Object.keys(property)));
      expect(['string', 'number', 'integer', 'boolean', 'array']).toContain(property['type']);
      expect(property['description']).toMatch(/\w{2}/);
      if (property['type'] === 'array') expect(property['items']).toEqual({ type: 'string' });
      if (property['enum'] !== undefined) expect(property['type']).toBe('string');
    }
  });

  test('has a name and words that every provider takes', () => {
    expect(tool.name).toMatch(/^[A-Za-z][A-Za-z0-9_]{0,63}$/);
    expect(tool.description.length).toBeGreaterThan(20);
    expect(tool.description.length).toBeLessThan(1_024);
    expect(tool.title).toMatch(/^[A-Z]/);
  });
});

test('tool names are unique', () => {
  expect(new Set(allTools.map(({ name }) => name)).size).toBe(allTools.length);
});

const [small] = [
  defineTool({
    name: 'count_to',
    description: 'Counts.',
    permission: 'status',
    input: z.strictObject({
      last: z.int().min(1).describe('Where to stop.'),
      by: z.enum(['one', 'two']).default('one').describe('Steps.'),
      names: z.array(z.string().min(1)).optional(),
    }),
    execute: async () => ({ ok: true, data: null }),
  }),
];

const properties = {
  last: { type: 'integer', minimum: 1, description: 'Where to stop.' },
  by: { type: 'string', enum: ['one', 'two'], description: 'Steps. Default "one".' },
  names: { type: 'array', items: { type: 'string' } },
};
const schema = { type: 'object', properties, required: ['last'], additionalProperties: false };

test.each([
  ...['$schema', 'format', 'pattern', 'minLength', 'maxLength', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'propertyNames'],
])('the keyword %s is removed from a schema at any depth', (keyword) => {
  const type = { type: 'string', [keyword]: 1 };
  const given = {
    type: 'object',
    [keyword]: 1,
    properties: { one: type, many: { type: 'array', items: type } },
  };

  expect(toInputSchema({ inputSchema: given })).toEqual({
    type: 'object',
    properties: { one: { type: 'string' }, many: { type: 'array', items: { type: 'string' } } },
  });
});

test('OpenAI gets functions', () => {
  expect(toOpenAiTools([small])).toEqual([
    { type: 'function', function: { name: 'count_to', description: 'Counts.', parameters: schema } },
  ]);
});

test('Anthropic gets input schemas', () => {
  expect(toAnthropicTools([small])).toEqual([
    { name: 'count_to', description: 'Counts.', input_schema: schema },
  ]);
});

test('Gemini gets declarations, and none of what it refuses', () => {
  const empty = defineTool({
    name: 'now',
    description: 'Says the time.',
    input: z.strictObject({}),
    execute: async () => ({ ok: true, data: null }),
  });

  const { additionalProperties: _, ...parameters } = schema;
  expect(toGeminiTools([small, empty])).toEqual({
    functionDeclarations: [
      { name: 'count_to', description: 'Counts.', parameters },
      { name: 'now', description: 'Says the time.' },
    ],
  });
  expect(JSON.stringify(toGeminiTools(allTools))).not.toMatch(/additionalProperties|\$ref|anyOf|const"/);
});

test('MCP gets titles and hints', () => {
  expect(toMcpTools([small])).toEqual([
    {
      name: 'count_to',
      title: 'Count to',
      description: 'Counts.',
      inputSchema: schema,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
  ]);
});

test.for([
  ['list_processes', true, false, true, false],
  ['wait_for', true, false, true, false],
  ['kill_process', false, true, true, false],
  ['run_command', false, true, false, true],
  ['write_process', false, true, false, true],
  ['capture_screen', true, false, true, false],
  ['send_keys', false, true, false, true],
  ['resize_terminal', false, true, false, true],
  ['background_process', false, true, false, true],
] as const)('the hints of %s are true', ([name, readOnly, destructive, idempotent, openWorld]) => {
  const tool = toMcpTools(allTools).find((each) => each.name === name);

  expect(tool?.annotations).toEqual({
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  });
});

test('a dialect is the same text each time', () => {
  const write = () =>
    JSON.stringify([toOpenAiTools, toAnthropicTools, toGeminiTools, toMcpTools].map((to) => to(allTools)));

  expect(write()).toBe(write());
});

test.each(allTools.filter(({ name }) => ['background_process', 'process'].includes(name)))(
  'the description of $name says what each action does',
  ({ description }) => {
    const actions = description.split('\n').filter((line) => line.startsWith('- '));

    expect(actions.length).toBeGreaterThan(3);
    expect(actions.filter((line) => !/^- \w+(?: \([\w, ]+\))?: \w.{8,}\.$/.test(line))).toEqual([]);
  },
);
