import { aiSdkToolOptions } from '../../config/foreign-tool-options.ts';
import { parseOptions } from '../../config/parse-options.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { createRandomId } from '../../process/process-id.ts';
import type { JsonSchema, StandardResult } from '../standard-schema.ts';
import type { Tool, ToolAnswer, ToolContext } from '../tool.ts';
import {
  checkNames,
  defineForeignTool,
  type ForeignToolOptions,
  isPromiseLike,
  toPermission,
  toToolName,
} from './define-foreign-tool.ts';
import { type ContentPart, describeContent } from './describe-content.ts';

/** Tool as `tool()` of the AI SDK makes it. Described structurally, so that the SDK need not be installed. */
export interface GivenAiSdkTool {
  // biome-ignore lint/suspicious/noExplicitAny: the types of its input, output and context are its own
  readonly description?: string | ((options: any) => string) | undefined;
  readonly title?: string | undefined;
  readonly inputSchema: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly execute?: ((input: any, options: any) => unknown) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly toModelOutput?: ((options: any) => unknown) | undefined;
  readonly needsApproval?: unknown;
}

/** Options of `fromAiSdkTools`. */
export interface AiSdkToolOptions extends ForeignToolOptions {
  /** Contexts of the tools by name, as in `toolsContext` of `generateText`. Default: none. */
  readonly contexts?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the tools of an AI SDK program for our conversations and hosts. Their `abortSignal` is aborted when the call is interrupted; an
 * error that they throw is the answer; of an `execute` that yields, the last value is the answer. A model gets images and other
 * files described in words. A tool with `needsApproval` needs the permission `start`, unless `permission` says otherwise.
 *
 * @throws TroupeError `invalid-option` for a tool without `execute`, which only the SDK or a provider can run, and for an input without
 * JSON Schema.
 *
 * @example
 * const tools = [...processTools, ...(await fromAiSdkTools({ weather }))];
 */
export async function fromAiSdkTools(
  tools: Readonly<Record<string, GivenAiSdkTool>>,
  options: AiSdkToolOptions = {},
): Promise<readonly Tool[]> {
  parseOptions(aiSdkToolOptions, { input: options, name: 'fromAiSdkTools' });
  const made = Object.entries(tools).map(([name, given]) => toTool(name, { given, options }));
  return checkNames(await Promise.all(made), 'fromAiSdkTools');
}

async function toTool(
  given: string,
  { given: tool, options }: { readonly given: GivenAiSdkTool; readonly options: AiSdkToolOptions },
): Promise<Tool> {
  const { execute, needsApproval = false } = tool;
  if (execute === undefined) {
    const message = `fromAiSdkTools: "${given}" has no "execute", so only the AI SDK or a provider can run it. Leave it out.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const callOptions = { context: options.contexts?.[given] };
  const { description = '' } = tool;
  const schema = toSchema(tool.inputSchema);
  return defineForeignTool({
    name: toToolName(given, options),
    title: tool.title,
    description: typeof description === 'string' ? description : description(callOptions),
    permission: toPermission(given, {
      permission: options.permission ?? (needsApproval === false ? 'other' : 'start'),
    }),
    inputSchema: await readJsonSchema(schema, given),
    validate: toValidate(schema),
    execute: async (input, { interrupt }: ToolContext) => {
      const toolCallId = `call_${createRandomId()}`;
      const output = await toLast(
        execute.call(tool, input, { toolCallId, messages: [], abortSignal: interrupt, ...callOptions }),
      );
      if (tool.toModelOutput === undefined) return { ok: true, data: toJson(output) };
      return toAnswer((await tool.toModelOutput({ toolCallId, input, output })) as ContentPart);
    },
  });
}

/** Schema of the SDK: a Standard Schema, or what `jsonSchema()` and `zodSchema()` return. */
interface GivenSchema {
  readonly '~standard'?: {
    validate(value: unknown): StandardResult<unknown> | PromiseLike<StandardResult<unknown>>;
    readonly jsonSchema?: { input(options: { target: string }): JsonSchema };
  };
  readonly jsonSchema?: JsonSchema | PromiseLike<JsonSchema>;
  validate?(value: unknown): SdkResult | PromiseLike<SdkResult>;
}

type SdkResult =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

/** A function without Standard Schema is a schema that the SDK makes when it is needed. */
function toSchema(given: unknown): GivenSchema {
  if (typeof given === 'function' && !('~standard' in given)) return given() as GivenSchema;
  return (given ?? {}) as GivenSchema;
}

/** @throws TroupeError `invalid-option` */
async function readJsonSchema(schema: GivenSchema, tool: string): Promise<JsonSchema> {
  const found =
    schema['~standard'] === undefined
      ? await schema.jsonSchema
      : schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  if (typeof found === 'object' && found !== null) return found;
  const message =
    `fromAiSdkTools: the input of "${tool}" offers no JSON Schema. Use zod 4.2 or newer, ` +
    'or "jsonSchema()" or "zodSchema()" of the AI SDK.';
  throw new TroupeError({ code: 'invalid-option', message });
}

function toValidate(
  schema: GivenSchema,
): (given: unknown) => StandardResult<unknown> | PromiseLike<StandardResult<unknown>> {
  return (given) => {
    if (schema['~standard'] !== undefined) return schema['~standard'].validate(given);
    const result = schema.validate?.(given) ?? { success: true, value: given };
    return isPromiseLike(result) ? Promise.resolve(result).then(toStandard) : toStandard(result);
  };
}

function toStandard(result: SdkResult): StandardResult<unknown> {
  if (result.success) return { value: result.value };
  return { issues: [{ message: result.error.message }] };
}

/** Returns the last value of what `execute` returns. */
async function toLast(returned: unknown): Promise<unknown> {
  const value = await returned;
  const isStream = typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
  if (!isStream) return value;
  let last: unknown;
  for await (const each of value as AsyncIterable<unknown>) last = each;
  return last;
}

/** Returns data that JSON can express: `null` for nothing, and bytes in words. */
function toJson(output: unknown): unknown {
  const text: string | undefined = JSON.stringify(output, function (this: unknown, key, value: unknown) {
    // A Buffer has already been turned into an object here.
    const original = (this as Record<string, unknown>)[key];
    return original instanceof Uint8Array ? describeContent([{ type: 'bytes', data: original }]) : value;
  });
  return text === undefined ? null : JSON.parse(text);
}

/** Returns the output for a model as an answer. */
function toAnswer(output: ContentPart): ToolAnswer {
  const { type, value } = output;
  switch (type) {
    case 'content':
      return { ok: true, data: describeContent(value as readonly ContentPart[]) };
    case 'error-text':
    case 'error-json': {
      const error = typeof value === 'string' ? value : JSON.stringify(value);
      return { ok: false, error, worked: true };
    }
    case 'execution-denied':
      return {
        ok: false,
        error: String(output['reason'] ?? 'The call was denied.'),
        worked: true,
        denied: true,
      };
    default:
      return { ok: true, data: toJson(value) };
  }
}
