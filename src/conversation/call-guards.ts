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
      const verb = toVerb(call);
      const failed = failures.get(verb) ?? 0;
      if (failed >= MAX_FAILURES_IN_A_ROW) {
        const error =
          `${quote(verb)} has failed ${failed} times in a row and is not called again in this turn. ` +
          'Try another way, or say what stands in yours.';
        return { ok: false, error };
      }
      if (waits) return null;
      const key = toKey(call);
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
      const verb = toVerb(call);
      failures.set(verb, isFault ? (failures.get(verb) ?? 0) + 1 : 0);
    },
  };
}

/** Of a tool with many actions each one is judged by itself: who cannot write may still read and end. */
function toVerb(call: ToolCall): string {
  const action = toArguments(call)?.['action'];
  return typeof action === 'string' ? `${call.name} ${action}` : call.name;
}

/** The same for the same arguments, in whatever order and with whatever blanks they are written. */
function toKey(call: ToolCall): string {
  const given = toArguments(call);
  const shown =
    given === null ? call.argumentsText : Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([call.name, shown]);
}

function toArguments({ argumentsText }: ToolCall): Readonly<Record<string, unknown>> | null {
  try {
    const given: unknown = JSON.parse(argumentsText);
    return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
