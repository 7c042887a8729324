import { z } from 'zod';
import type { Permission } from '../policy/permission.ts';
import { defineTool } from './define-tool.ts';
import type { NoticeDelivery, Tool, ToolAnswer, ToolContext, ToolIntent } from './tool.ts';

type Fields = Readonly<Record<string, z.ZodType>>;

/** Type of a field that an action may omit. */
type Given<T extends z.ZodType> = T extends z.ZodDefault ? z.output<T> : z.output<T> | undefined;

/** Action of a tool with several. */
interface Action {
  readonly permission: Permission;
  /** Shown to the model after the action's name. */
  readonly description: string;
  readonly needs: readonly string[];
  readonly takes: readonly string[];
  readonly check?: (input: never) => string | null;
  readonly intend?: (input: never) => ToolIntent;
  readonly execute: (input: never, context: ToolContext) => ToolAnswer | Promise<ToolAnswer>;
}

interface TypedAction<F extends Fields, N extends keyof F & string, T extends keyof F & string> {
  readonly permission: Permission;
  readonly description: string;
  /** Required and optional fields. */
  readonly needs: readonly N[];
  readonly takes: readonly T[];
  /** Validates what fields cannot express; returns the problem, or `null`. */
  readonly check?: (input: ActionInput<F, N, T>) => string | null;
  readonly intend?: (input: ActionInput<F, N, T>) => ToolIntent;
  readonly execute: (input: ActionInput<F, N, T>, context: ToolContext) => ToolAnswer | Promise<ToolAnswer>;
}

type ActionInput<F extends Fields, N extends keyof F, T extends keyof F> = {
  readonly [K in N]: z.output<F[K]>;
} & { readonly [K in T]: Given<F[K]> };

/** Creates actions that share these fields. */
export function createActionBuilder<F extends Fields>(_fields: F) {
  return <N extends keyof F & string = never, T extends keyof F & string = never>(
    action: TypedAction<F, N, T>,
  ): Action => action;
}

interface ActionToolDefinition {
  readonly name: string;
  readonly title: string;
  /** Text before the list of actions. */
  readonly description: string | ((notices: NoticeDelivery) => string);
  readonly fields: Fields;
  readonly actions: Readonly<Record<string, Action>>;
}

/**
 * Defines a tool with the field `action`. Forbidden actions appear neither in its schema nor in its description; see
 * `Tool.narrow`.
 */
export function defineActionTool(definition: ActionToolDefinition): Tool {
  const { name, title, description, actions } = definition;
  let input: z.ZodObject | null = null;
  const tool = defineTool({
    name,
    title,
    description: [
      typeof description === 'string' ? description : description('none'),
      ...Object.entries(actions).map(describeAction),
    ].join('\n'),
    permissions: [...new Set(Object.values(actions).map(({ permission }) => permission))],
    get input() {
      input ??= toInput(definition);
      return input;
    },
    check: (input) => {
      const { needs, check } = chosenAction(actions, input);
      const missing = needs.filter((field) => input[field] === undefined);
      if (missing.length > 0) return missing.map((field) => `${field} is required`).join('; ');
      return check?.(input as never) ?? null;
    },
    intend: (input) => {
      const { permission, intend } = chosenAction(actions, input);
      return intend?.(input as never) ?? { permission };
    },
    execute: async (input, context) => chosenAction(actions, input).execute(input as never, context),
  });
  // Not a copy: the tool builds its schema when it is first read.
  return Object.assign(tool, {
    narrow: (isAllowed: (permission: Permission) => boolean) => {
      const left = Object.entries(actions).filter(([, { permission }]) => isAllowed(permission));
      return left.length === 0
        ? null
        : defineActionTool({ ...definition, actions: Object.fromEntries(left) });
    },
    ...(typeof description === 'function' && {
      forNotices: (notices: NoticeDelivery) =>
        defineActionTool({ ...definition, description: description(notices) }),
    }),
  });
}

function toInput({ fields, actions }: ActionToolDefinition): z.ZodObject {
  const names = Object.keys(actions) as [string, ...string[]];
  const used = Object.values(actions).flatMap(({ needs, takes }) => [...needs, ...takes]);
  const shape = Object.entries(fields)
    .filter(([field]) => used.includes(field))
    .map(([field, type]) => [field, type.safeParse(undefined).success ? type : type.optional()]);
  return z.strictObject({
    action: z.enum(names).describe('What to do.'),
    ...Object.fromEntries(shape),
  });
}

function describeAction([name, { description, needs }]: [string, Action]): string {
  return `- ${name}${needs.length === 0 ? '' : ` (${needs.join(', ')})`}: ${description}`;
}

function chosenAction(actions: ActionToolDefinition['actions'], input: unknown): Action {
  const { action } = input as { action: string };
  const chosen = actions[action];
  if (chosen === undefined) throw new Error(`There is no action ${action}.`);
  return chosen;
}
