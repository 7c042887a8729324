import { quote } from '../config/quote.ts';
import type { ToolCall } from '../models/chat-model.ts';
import { toAnswerText } from '../tools/answer-text.ts';
import type { ToolAnswer } from '../tools/tool.ts';

const MAX_SAME_CALLS = 4;
const MAX_FAILURES_IN_A_ROW = 3;

/** Keeps a model from going round in circles. Lasts for one turn. */
export interface CallGuards {
  /** Counts a call. Returns the answer where the call is not made, else `null`. */
  advise(call: ToolCall, options: { readonly waits: boolean }): ToolAnswer | null;
  /** Notes the answer of a call that was made. */
  note(call: ToolCall, answer: ToolAnswer): void;
  /** Notes a delivery: the same call again may have another result. */
  noteDelivery(): void;
}

/** Repeats of one call, with nothing else between or with the same result. */
interface Streak {
  count: number;
  result: string | null;
  /** The last result equals the one before. */
  isSame: boolean;
}

export function createCallGuards(): CallGuards {
  const streaks = new Map<string, Streak>();
  /** The number of repeats before a call that something else preceded, by its id. */
  const countsBefore = new Map<string, number>();
  const failures = new Map<string, number>();
  let lastKey: string | null = null;

  const isRepeated = (call: ToolCall): boolean => {
    const key = toKey(call);
    const streak = streaks.get(key) ?? { count: 0, result: null, isSame: false };
    const isDirect = lastKey === key;
    const isExpectedSame = isDirect || streak.isSame;
    if (isExpectedSame && streak.count >= MAX_SAME_CALLS) return true;
    if (!isDirect) countsBefore.set(call.id, streak.count);
    streak.count = isExpectedSame ? streak.count + 1 : 1;
    streaks.set(key, streak);
    lastKey = key;
    return false;
  };

  const noteResult = (call: ToolCall, answer: ToolAnswer) => {
    const streak = streaks.get(toKey(call));
    if (streak === undefined) return;
    const result = toAnswerText(answer);
    const countBefore = countsBefore.get(call.id);
    streak.isSame = streak.result === result;
    streak.result = result;
    if (countBefore !== undefined) streak.count = streak.isSame ? countBefore + 1 : 1;
  };

  return {
    advise: (call, { waits }) => {
      const verb = toVerb(call);
      const failed = failures.get(verb) ?? 0;
      if (failed >= MAX_FAILURES_IN_A_ROW) {
        const error =
          `${quote(verb)} has failed ${failed} times in a row and is not called again in this turn. ` +
          'Try another way, or report what prevents you.';
        return { ok: false, error };
      }
      if (waits) {
        lastKey = null;
        return null;
      }
      if (!isRepeated(call)) return null;
      const error =
        `You have made the same call ${MAX_SAME_CALLS} times in this turn, with the same result or with nothing else in between, so it was not made ` +
        'again. A notice arrives on its own when a process ends: do something else, or finish your turn and you will be woken.';
      return { ok: false, error };
    },
    note: (call, answer) => {
      noteResult(call, answer);
      const isFault = !answer.ok && answer.worked !== true;
      const verb = toVerb(call);
      failures.set(verb, isFault ? (failures.get(verb) ?? 0) + 1 : 0);
    },
    noteDelivery: () => {
      lastKey = null;
    },
  };
}

/** Returns the name of a call with its action: a tool whose `write` fails can still read. */
function toVerb(call: ToolCall): string {
  const action = toArguments(call)?.['action'];
  return typeof action === 'string' ? `${call.name} ${action}` : call.name;
}

/** Returns the same key for the same arguments, whatever their order and blanks. */
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
