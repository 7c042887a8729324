import type { AgentDefinition } from '../config/agent-file-schema.ts';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { createOpenAiModel } from '../models/openai-compatible.ts';
import { createDemoModel } from './demo-model.ts';
import { readDepth } from './depth-limit.ts';

/** Chat Completions endpoints by the provider's name in an agent file. */
const PROVIDERS: Readonly<Record<string, { readonly baseUrl: string; readonly keyName: string | null }>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', keyName: 'OPENAI_API_KEY' },
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', keyName: 'ANTHROPIC_API_KEY' },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyName: 'GEMINI_API_KEY',
  },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', keyName: 'OPENROUTER_API_KEY' },
  ollama: { baseUrl: 'http://localhost:11434/v1', keyName: null },
};

type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelChoice {
  readonly model: ChatModel;
  /** Sentence for the person when another model is used than the file says; otherwise `null`. */
  readonly notice: string | null;
}

/**
 * Returns the model of a definition. Without a key the first agent gets a demo script that says so; a delegate gets
 * none, because its caller would take the script for the work.
 *
 * @throws TroupeError `invalid-option` where the provider is unknown and has no `base_url`, the model has no name, or
 * a delegate has no key.
 */
export function chooseModel(
  definition: AgentDefinition,
  options: {
    /** Default: the environment of this program. */
    readonly env?: Environment;
    /** Model for the provider `scripted`, and for a missing key. Default: the demo script. */
    readonly scripted?: ChatModel;
    /** Number of agents above. A larger `TROUPE_DEPTH` in `env` takes precedence. */
    readonly depth?: number | undefined;
  } = {},
): ModelChoice {
  const { env = process.env, scripted = createDemoModel(), depth } = options;
  const { provider = 'openai', temperature, max_tokens: maxTokens } = definition.model;
  if (provider === 'scripted') return { model: scripted, notice: null };
  const { baseUrl, isOwn } = findEndpoint(definition, env);
  const keyName = keyVariable(definition);
  const apiKey = keyName === null ? undefined : env[keyName] || undefined;
  // A custom endpoint may need no key, but a key that is named must exist.
  const needsKey = keyName !== null && (!isOwn || definition.model.api_key_env !== undefined);
  if (apiKey === undefined && needsKey) {
    const [why, remedy] = [`${keyName} is not set`, `Set it to talk to ${nameModel(definition)}.`];
    if (isDelegate({ depth, env })) {
      const message = `agent ${definition.name}: ${why}, so it has no model and cannot work. ${remedy}`;
      throw new TroupeError({ code: 'invalid-option', message });
    }
    return { model: scripted, notice: `${why}, so a small script answers instead of a model. ${remedy}` };
  }
  const name = isOwn ? definition.model.name : plainName(definition);
  const model = name ?? (provider === 'openai' ? env['OPENAI_MODEL'] : undefined);
  if (model === undefined) throw unnamed(definition);
  return {
    notice: null,
    model: createOpenAiModel({
      baseUrl,
      model,
      ...(apiKey !== undefined && { apiKey }),
      ...(keyName !== null && { apiKeyVariable: keyName }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    }),
  };
}

/** Returns the variable with the key of that agent's model; `null` where it needs none. */
export function keyVariable({ model }: AgentDefinition): string | null {
  const { provider = 'openai', api_key_env } = model;
  if (provider === 'scripted') return null;
  return api_key_env ?? findProvider(provider)?.keyName ?? null;
}

/** Tells whether the agent is a delegate. An unreadable depth counts as 0; the start of the agent reports it. */
function isDelegate(told: { readonly depth: number | undefined; readonly env: Environment }): boolean {
  const reading = readDepth(told);
  return reading.ok && reading.depth > 0;
}

function findEndpoint(
  { model, name }: AgentDefinition,
  env: Environment,
): { baseUrl: string; isOwn: boolean } {
  const { provider = 'openai', base_url } = model;
  const own = base_url ?? (provider === 'openai' ? env['OPENAI_BASE_URL']?.trim() || undefined : undefined);
  if (own !== undefined) return { baseUrl: own, isOwn: true };
  const known = findProvider(provider);
  if (known !== undefined) return { baseUrl: known.baseUrl, isOwn: false };
  const names = [...Object.keys(PROVIDERS), 'scripted'];
  const meant = nearest(provider, names);
  const hint = meant === null ? '' : ` Did you mean ${quote(meant)}?`;
  const message =
    `agent ${name}: "model.provider" is ${quote(provider)}; expected one of ${names.join(', ')}, ` +
    `or a "base_url" that speaks Chat Completions.${hint}`;
  throw new TroupeError({ code: 'invalid-option', message });
}

function findProvider(name: string) {
  return Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
}

/**
 * Removes the provider from the name, which some files include: `openai/gpt-5`. Custom endpoints and OpenRouter use
 * such names themselves.
 */
function plainName({ model: { provider = 'openai', name } }: AgentDefinition): string | undefined {
  const prefix = `${provider}/`;
  return provider !== 'openrouter' && name?.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function nameModel(definition: AgentDefinition): string {
  const { provider = 'openai' } = definition.model;
  const name = plainName(definition);
  return name === undefined ? provider : `${provider}/${name}`;
}

function unnamed({ name, model: { provider = 'openai' } }: AgentDefinition): TroupeError {
  const variable = provider === 'openai' ? ', or set OPENAI_MODEL' : '';
  const message = `agent ${name}: "model.name" is missing; expected the name of a model of ${provider}${variable}.`;
  return new TroupeError({ code: 'invalid-option', message });
}
