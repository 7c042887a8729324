import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool, ToolAnswer } from '../../src/tools/tool.ts';

/** Tool that waits until a test answers. */
export interface HeldTool {
  readonly tool: Tool;
  /** Resolves once every call of the step is waiting. */
  readonly isHeld: boolean;
  /** True once the calls were told not to wait any longer. */
  readonly isInterrupted: boolean;
  /** Answers all calls; the first one reveals these ends. */
  answer(reveals: readonly string[]): void;
}

/** Number of calls in one step. */
export const CALLS = 2;

export function createHeldTool(name: string): HeldTool {
  let held: { readonly interrupt: AbortSignal; resolve(answer: ToolAnswer): void }[] = [];
  return {
    tool: defineTool({
      name,
      description: 'Waits.',
      input: z.strictObject({}),
      intend: () => ({ permission: 'other', waits: true }),
      execute: (_, { interrupt }) =>
        new Promise((resolve) => {
          if (held.length === CALLS) held = [];
          held.push({ interrupt, resolve });
        }),
    }),
    get isHeld() {
      return held.length === CALLS;
    },
    get isInterrupted() {
      return held.some(({ interrupt }) => interrupt.aborted);
    },
    answer: (reveals) => {
      for (const [index, { resolve }] of held.entries())
        resolve({ ok: true, data: null, reveals: index === 0 ? reveals : [] });
    },
  };
}
