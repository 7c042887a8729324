import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { Permission } from '../../policy/permission.ts';
import { defineTool } from '../define-tool.ts';
import type { JsonSchema, StandardResult, StandardSchema } from '../standard-schema.ts';
import type { Tool, ToolAnswer, ToolContext } from '../tool.ts';

/** Options of tools that come from another library. */
export interface ForeignToolOptions {
  /**
   * Effect of the calls, which the policy judges: one for all tools, or one for each name. A tool that runs commands or changes
   * something declares `start`, so that a person is asked where the policy says so. Default `other`, which a policy allows unless it
   * names the tool.
   */
  readonly permission?: Permission | ((name: string) => Permission) | undefined;
  /** Put before each name, with `__` between: `github` makes `github__search`. Default: the names as they are. */
  readonly prefix?: string | undefined;
}

/** Tool of another library, in our terms. */
export interface ForeignTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly permission: Permission;
  readonly inputSchema: JsonSchema;
  /** Validates the input; the result is what `execute` gets. */
  validate(given: unknown): StandardResult<unknown> | PromiseLike<StandardResult<unknown>>;
  execute(input: unknown, context: ToolContext): Promise<ToolAnswer>;
}

/** Validated input, or the input of a tool whose validation takes time. */
interface Checked {
  readonly isLater: boolean;
  readonly input: unknown;
}

/** Makes a tool of it. A validation that takes time is part of the call; any other comes before the policy is asked. */
export function defineForeignTool(foreign: ForeignTool): Tool {
  const input: StandardSchema<unknown, Checked> = {
    '~standard': {
      version: 1,
      vendor: 'foreign',
      validate: (given) => {
        const result = foreign.validate(given);
        if (!isPromiseLike(result))
          return result.issues === undefined ? { value: { isLater: false, input: result.value } } : result;
        // It is validated again where it can be awaited.
        Promise.resolve(result).catch(() => {});
        return { value: { isLater: true, input: given } };
      },
    },
  };
  return defineTool({
    name: foreign.name,
    ...(foreign.title !== undefined && { title: foreign.title }),
    description: foreign.description,
    permission: foreign.permission,
    input,
    inputSchema: foreign.inputSchema,
    execute: async (checked, context) => {
      const result: StandardResult<unknown> = checked.isLater
        ? await foreign.validate(checked.input)
        : { value: checked.input };
      if (result.issues !== undefined) {
        const error = result.issues.map(({ message }) => `${foreign.name}: ${message}`).join('\n');
        return { ok: false, error, worked: true };
      }
      return runForeign(() => foreign.execute(result.value, context), { name: foreign.name, context });
    },
  });
}

/** An interrupted call is no fault of the tool. */
async function runForeign(
  execute: () => Promise<ToolAnswer>,
  { name, context: { interrupt } }: { readonly name: string; readonly context: ToolContext },
): Promise<ToolAnswer> {
  try {
    return await execute();
  } catch (error) {
    if (!interrupt.aborted) throw error;
    return { ok: false, error: `${name} was interrupted: ${toErrorText(interrupt.reason)}`, worked: true };
  }
}

/** Returns the name for the model, which takes letters, digits, `_` and `-`. */
export function toToolName(name: string, { prefix }: ForeignToolOptions): string {
  const whole = prefix === undefined ? name : `${prefix}__${name}`;
  return whole.replaceAll(/[:/]/g, '__').replaceAll(/[^\w-]/g, '_');
}

export function toPermission(
  name: string,
  { permission }: { permission: ForeignToolOptions['permission'] & {} },
): Permission {
  return typeof permission === 'function' ? permission(name) : permission;
}

/** @throws TroupeError `invalid-option` where two tools have one name after `toToolName`. */
export function checkNames(tools: readonly Tool[], source: string): readonly Tool[] {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return tools;
  const message = `${source}: two tools are called "${twice}"; a model can call only one of them. Rename one.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
