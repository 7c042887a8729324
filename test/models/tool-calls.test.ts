import { expect, test } from 'vitest';
import { toCallInput, toCallInputText, toToolName } from '../../src/models/tool-calls.ts';

test.each([
  ['{"a": 1}', { a: 1 }],
  ['', {}],
  [' ', {}],
  ['{"a":', { invalid_arguments: '{"a":' }],
  ['[1]', { invalid_arguments: '[1]' }],
  ['"x"', { invalid_arguments: '"x"' }],
  ['null', { invalid_arguments: 'null' }],
])('arguments %j go back as %j', (text, input) => {
  expect(toCallInput(text)).toEqual(input);
  expect(JSON.parse(toCallInputText(text))).toEqual(input);
});

test('right arguments go back byte by byte', () => {
  expect(toCallInputText('{ "a" :  1.0 }')).toBe('{ "a" :  1.0 }');
});

test.each([
  ['run_command', 'run_command'],
  ['functions.run command', 'functions_run_command'],
  ['é', '_'],
  ['', '_'],
  ['x'.repeat(100), 'x'.repeat(64)],
])('the name %j goes back as %j', (name, sent) => {
  expect(toToolName(name)).toBe(sent);
});
