import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { z } from 'zod';
import { orAborted } from '../config/or-aborted.ts';
import { parseOptions } from '../config/parse-options.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { toFunctionTools, toPrompt } from './ai-sdk-prompt.ts';
import { createAiSdkReply } from './ai-sdk-reply.ts';
import type { ChatDelta, ChatModel, ChatRequest } from './chat-model.ts';
import { findNetworkCause } from './endpoint-failure.ts';
import { createIdleTimeout, type IdleTimeout } from './idle-timeout.ts';
import { ModelError } from './model-error.ts';
import { type AiSdkModelSettings, aiSdkSettings, checkHeaders } from './model-options.ts';
import { toModelError } from './to-model-error.ts';

type Settings = z.output<typeof aiSdkSettings>;

/** Language model of AI SDK 7, such as `anthropic('claude-opus-4-5')`. Described structurally, so that the SDK need not be installed. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: unknown }>;
}

/**
 * Creates a model from any provider of the AI SDK: `createAiSdkModel(anthropic('claude-opus-4-5'))`. Failures
 * are ModelErrors; an aborted request rejects with the signal's reason.
 *
 * @throws TroupeError `invalid-option`, also for models of a version other than `v4` (AI SDK 7).
 */
export function createAiSdkModel(
  languageModel: AiSdkLanguageModel,
  settings: AiSdkModelSettings = {},
): ChatModel {
  const checked = parseOptions(aiSdkSettings, { input: settings, name: 'createAiSdkModel' });
  checkHeaders(checked.headers ?? {}, 'createAiSdkModel');
  checkModel(languageModel);
  const model = languageModel as LanguageModelV4;
  const name = checked.name ?? `${model.provider}/${model.modelId}`;
  return { name, stream: (request) => converse(request, { model, settings: checked, name }) };
}

function checkModel(given: unknown): void {
  const { specificationVersion, doStream } = (given ?? {}) as Partial<LanguageModelV4>;
  if (specificationVersion === 'v4' && typeof doStream === 'function') return;
  const what =
    typeof given === 'string' ? quote(given) : `a model of version ${quote(String(specificationVersion))}`;
  const message = `createAiSdkModel: the model is ${what}; expected a model object of version "v4", as providers of AI SDK 7 create it.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

async function* converse(
  request: ChatRequest,
  { model, settings, name }: { model: LanguageModelV4; settings: Settings; name: string },
): AsyncGenerator<ChatDelta> {
  const { signal } = request;
  const watch = createIdleTimeout({ signal, idleMs: settings.idleTimeout, name });
  const reply = createAiSdkReply({ name, provider: model.provider });
  try {
    signal.throwIfAborted();
    const call = model.doStream(toCallOptions(request, { model, settings, signal: watch.signal }));
    const { stream } = await orAborted(Promise.resolve(call), watch.signal);
    for await (const part of readParts(stream, { watch, name })) yield* reply.read(part);
    signal.throwIfAborted();
    yield* reply.end();
  } catch (error) {
    throw signal.aborted ? signal.reason : toModelError(error);
  } finally {
    watch.stop();
  }
}

function toCallOptions(
  { messages, tools }: ChatRequest,
  { model, settings, signal }: { model: LanguageModelV4; settings: Settings; signal: AbortSignal },
): LanguageModelV4CallOptions {
  const { temperature, maxTokens, reasoning, headers, providerOptions, alternation } = settings;
  return {
    prompt: toPrompt(messages, { provider: model.provider, alternation }),
    ...(tools.length > 0 && { tools: toFunctionTools(tools) }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(reasoning !== undefined && { reasoning }),
    ...(headers !== undefined && { headers }),
    ...(providerOptions !== undefined && { providerOptions }),
    abortSignal: signal,
  };
}

/** Stops reading when aborted, even if the provider ignores its signal. */
async function* readParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { watch, name }: { watch: IdleTimeout; name: string },
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), watch.signal);
      if (done) return;
      watch.pause();
      yield value;
      watch.restart();
    }
  } catch (error) {
    const network = findNetworkCause(error);
    if (network === null) throw error;
    throw new ModelError({
      failure: 'cut',
      message: `${name} broke off its reply: ${network}.`,
      cause: error,
    });
  } finally {
    reader.cancel().catch(() => {});
  }
}
