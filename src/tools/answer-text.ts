import { toError, toErrorText } from '../config/error-text.ts';
import { shorten } from '../config/quote.ts';
import type { ToolAnswer } from './tool.ts';

/** Limit for one answer: everything in a transcript is sent to the model with each request. */
const MAX_ANSWER_LENGTH = 256 * 1024;

/** Room for the notice that text was cut. */
const ROOM_FOR_WORDS = 100;

/**
 * Serializes an answer for a transcript: `{"ok":true,"data":…}`, `{"ok":false,"error":"…"}` or, where more is known,
 * `{"ok":false,"error":"…","data":…}`. Equal answers give equal texts, and nothing in them resembles a notice.
 */
export function toAnswerText(answer: ToolAnswer): string {
  const { ok, data } = answer;
  const shown = answer.ok ? { ok, data: data ?? null } : { ok, error: answer.error, data };
  return neutraliseMarkup(JSON.stringify(shown));
}

/** Returns the same content as plain data, for callers that serialize it themselves. */
export function toPlainAnswer(
  answer: ToolAnswer,
):
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: string; readonly data?: unknown } {
  return JSON.parse(toAnswerText(answer));
}

/**
 * Validates the answer of a custom tool, or explains why it is none. `reveals` counts only if it is a list of strings.
 */
export function checkAnswer(given: unknown, { tool }: { tool: string }): ToolAnswer {
  if (typeof given !== 'object' || given === null || typeof (given as { ok?: unknown }).ok !== 'boolean') {
    const what = given === undefined ? 'nothing' : `an invalid answer (${describe(given)})`;
    return { ok: false, error: `${tool} answered ${what}; it should answer { ok, data } or { ok, error }.` };
  }
  const answer = withIds(given as ToolAnswer);
  if (!answer.ok) {
    const error = typeof answer.error === 'string' ? answer.error : toErrorWords(answer.error, tool);
    const { data, ...rest } = answer;
    const shortened = { ...rest, error: shorten(error, MAX_ANSWER_LENGTH) };
    if (data === undefined) return shortened;
    const checked = checkAnswer({ ok: true, data }, { tool });
    return checked.ok ? { ...shortened, data: checked.data } : shortened;
  }
  if (answer.data === undefined) return answer;
  try {
    // Serialized only once: a second attempt may fail.
    const text: string | undefined = JSON.stringify(answer.data);
    if (text !== undefined) return { ...answer, data: toBounded(text) };
    return { ok: false, error: `The answer of ${tool} is not valid JSON: it is a ${typeof answer.data}.` };
  } catch (error) {
    return { ok: false, error: `The answer of ${tool} is not valid JSON: ${toErrorText(error)}` };
  }
}

/**
 * Parses the data within the size limit. When it is too long, cuts its longest text so that all other fields match the
 * tool's schema; where that is not enough, keeps only the beginning of the whole.
 */
function toBounded(text: string): unknown {
  const data: unknown = JSON.parse(text);
  const excess = text.length - MAX_ANSWER_LENGTH;
  if (excess <= 0) return data;
  const [name, longest] = findLongestText(data);
  if (longest.length > excess + ROOM_FOR_WORDS) {
    const kept = shorten(longest, longest.length - excess - ROOM_FOR_WORDS);
    const left = longest.length - kept.length + 1;
    return { ...(data as object), [name]: kept, truncated: true, left_out_characters: left };
  }
  const beginning = shorten(text, MAX_ANSWER_LENGTH);
  return { beginning, left_out_characters: text.length - beginning.length + 1 };
}

function findLongestText(data: unknown): readonly [string, string] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return ['', ''];
  const texts = Object.entries(data).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return texts.reduce((longest, each) => (each[1].length > longest[1].length ? each : longest), ['', '']);
}

function withIds(answer: ToolAnswer): ToolAnswer {
  const { reveals, ...rest } = answer;
  const isWrong = !Array.isArray(reveals) || reveals.some((id) => typeof id !== 'string');
  return reveals === undefined || !isWrong ? answer : rest;
}

function toErrorWords(error: unknown, tool: string): string {
  if (error instanceof Error) return error.message;
  try {
    return JSON.stringify(error) ?? `${tool} failed and did not say why.`;
  } catch {
    return `${tool} failed, and its error is not valid JSON.`;
  }
}

function describe(given: unknown): string {
  if (Array.isArray(given)) return 'a list';
  if (given === null) return 'null';
  return typeof given === 'object' ? 'an object without a boolean "ok"' : `a ${typeof given}`;
}

/** Matches `<process_notice` and its end tag, also with blanks inside and in JSON text. */
const noticeTag = /<(?=(?:\s|\\[nrt]){0,8}\/?(?:\s|\\[nrt]){0,8}process_notice)/gi;

/**
 * Escapes text so that it can neither imitate nor end a notice. Everything written by a process, a file or a person
 * passes through it before a model sees it.
 */
export function neutraliseMarkup(text: string): string {
  return text.replace(noticeTag, '&lt;');
}

/**
 * Confirms that an answer is in a transcript or was sent; see `ToolAnswer.onRecorded`. The callback is foreign code:
 * its errors become warnings.
 */
export function confirmRecorded(answer: ToolAnswer): void {
  const tell = async () => answer.onRecorded?.();
  tell().catch((error) => process.emitWarning(toError(error)));
}
