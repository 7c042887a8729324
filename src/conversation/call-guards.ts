import { quote } from '../config/quote.ts';
import type { ToolCall } from '../models/chat-model.ts';
import type { ToolAnswer } from '../tools/tool.ts';

const MAX_SAME_CALLS = 4;
const MAX_FAILURES_IN_A_ROW = 3;

/** What keeps a model that has lost its way from going round in circles. Lasts for one turn. */
export interface CallGuards {
  /** The answer to a call that is not made; `null` when it is made. Counts the call. */
  advise(call: ToolCall, options: { readonly waits: boolean }): ToolAnswer | null;
  /** Tells how a call that was made went. */
  note(call: ToolCall, answer: ToolAnswer): void;
}

export function createCallGuards(): CallGuards {
  const sameCalls = new Map<string, number>();
  const failures = new Map<string, number>();

  return {
    advise: (call, { waits }) => {
      const failed = failures.get(call.name) ?? 0;
      if (failed >= MAX_FAILURES_IN_A_ROW) {
        const error =
          `${quote(call.name)} has failed ${failed} times in a row and is not called again in this turn. ` +
          'Try another way, or say what stands in yours.';
        return { ok: false, error };
      }
      if (waits) return null;
      const key = JSON.stringify([call.name, call.argumentsText]);
      const count = (sameCalls.get(key) ?? 0) + 1;
      sameCalls.set(key, count);
      if (count <= MAX_SAME_CALLS) return null;
      const error =
        `You have made this very call ${MAX_SAME_CALLS} times in this turn, so it was not made again. A notice comes by itself when a ` +
        'process ends: do something else, or finish your turn and you will be woken.';
      return { ok: false, error };
    },
    note: (call, answer) => {
      const isFault = !answer.ok && answer.worked !== true;
      failures.set(call.name, isFault ? (failures.get(call.name) ?? 0) + 1 : 0);
    },
  };
}
