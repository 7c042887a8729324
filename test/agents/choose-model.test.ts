import { expect, test } from 'vitest';
import { chooseModel, keyVariable } from '../../src/agents/choose-model.ts';
import type { ModelSettings } from '../../src/config/agent-file-schema.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';

const scripted = createScriptedModel([]);
const choose = (model: ModelSettings, env: Record<string, string> = {}) =>
  chooseModel({ name: 'coder', model }, { env, scripted });

test('a scripted model needs no key', () => {
  expect(choose({ provider: 'scripted' })).toEqual({ model: scripted, notice: null });
});

test.each([
  [
    { name: 'gpt-5' },
    'OPENAI_API_KEY is not set, so a small script answers instead of a model. Set it to talk to openai/gpt-5.',
  ],
  [{ provider: 'anthropic' }, 'ANTHROPIC_API_KEY is not set'],
  [{ provider: 'google', api_key_env: 'MY_KEY' }, 'MY_KEY is not set'],
  [{ name: 'a', base_url: 'http://127.0.0.1:1/v1', api_key_env: 'MY_KEY' }, 'MY_KEY is not set'],
])('without its key %j is a script that says so', (model, expected) => {
  const choice = choose(model);

  expect(choice.model).toBe(scripted);
  expect(choice.notice).toContain(expected);
});

test.each([
  ['in the options', { depth: 1 }, {}],
  ['in the environment', {}, { TROUPE_DEPTH: '1' }],
])('a delegate is never a script in disguise: %s', (_, place, env) => {
  const model = { name: 'gpt-5' };

  expect(() => chooseModel({ name: 'coder', model }, { env, scripted, ...place })).toThrow(
    'agent coder: OPENAI_API_KEY is not set, so it has no model and cannot work. Set it to talk to openai/gpt-5.',
  );
  expect(
    chooseModel({ name: 'coder', model: { provider: 'scripted' } }, { env, scripted, ...place }).model,
  ).toBe(scripted);
});

test('an empty key counts as missing', () => {
  expect(choose({ name: 'gpt-5' }, { OPENAI_API_KEY: '' }).model).toBe(scripted);
});

test.each([
  [{ name: 'gpt-5' }, { OPENAI_API_KEY: 'k' }, 'gpt-5'],
  [{ name: 'openai/gpt-5' }, { OPENAI_API_KEY: 'k' }, 'gpt-5'],
  [{ name: 'anthropic/x', provider: 'anthropic' }, { ANTHROPIC_API_KEY: 'k' }, 'x'],
  [{ name: 'openai/gpt-5', provider: 'openrouter' }, { OPENROUTER_API_KEY: 'k' }, 'openai/gpt-5'],
  [{ name: 'openai/x', base_url: 'http://127.0.0.1:1/v1' }, {}, 'openai/x'],
  [{}, { OPENAI_API_KEY: 'k', OPENAI_MODEL: 'small' }, 'small'],
  [{ name: 'local' }, { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'local'],
  [{ name: 'local', provider: 'mine', base_url: 'http://127.0.0.1:1/v1' }, {}, 'local'],
  [{ name: 'local', provider: 'ollama' }, {}, 'local'],
])('%j with %j is a real one', (model, env, expected) => {
  const choice = choose(model, env as Record<string, string>);

  expect(choice.notice).toBeNull();
  expect(choice.model.name).toBe(expected);
});

test('an unknown provider is named', () => {
  expect(() => choose({ provider: 'antropic', name: 'a' })).toThrow(
    'agent coder: "model.provider" is "antropic"; expected one of openai, anthropic, google, openrouter, ollama, scripted, ' +
      'or a "base_url" that speaks Chat Completions. Did you mean "anthropic"?',
  );
});

test('a model without a name is refused', () => {
  expect(() => choose({}, { OPENAI_API_KEY: 'k' })).toThrow(
    'agent coder: "model.name" is missing; expected the name of a model of openai, or set OPENAI_MODEL.',
  );
});

test.each([
  [{ provider: 'scripted' }, null],
  [{ provider: 'ollama' }, null],
  [{ name: 'gpt-5' }, 'OPENAI_API_KEY'],
  [{ provider: 'anthropic', api_key_env: 'MY_KEY' }, 'MY_KEY'],
])('the key of %j is in %s', (model, expected) => {
  expect(keyVariable({ name: 'coder', model })).toBe(expected);
});
