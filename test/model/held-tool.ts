import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool, ToolAnswer } from '../../src/tools/tool.ts';

/** A tool that waits until a test answers in its place. */
export interface HeldTool {
  readonly tool: Tool;
  /** Every call of the step is waiting. */
  readonly isHeld: boolean;
  /** It was told not to wait any longer. */
  readonly isInterrupted: boolean;
  /** Answers all calls; the first shows these ends. */
  answer(reveals: readonly string[]): void;
}

/** How many calls of it a step has. */
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
