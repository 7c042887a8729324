import { toError, toErrorText } from '../config/error-text.ts';
import { shorten } from '../config/quote.ts';
import type { ToolAnswer } from './tool.ts';

/** Of one answer: everything in a transcript is sent to the model with each request. */
const MAX_ANSWER_LENGTH = 256 * 1024;

/** For saying that something was cut. */
const ROOM_FOR_WORDS = 100;

/**
 * An answer as it is written into a transcript: `{"ok":true,"data":…}`, `{"ok":false,"error":"…"}` or, where more is known,
 * `{"ok":false,"error":"…","data":…}`; the same answer always as the same text. Nothing in it looks like a notice.
 */
export function toAnswerText(answer: ToolAnswer): string {
  const { ok, data } = answer;
  const shown = answer.ok ? { ok, data: data ?? null } : { ok, error: answer.error, data };
  return neutraliseMarkup(JSON.stringify(shown));
}

/** The same as plain data, for those who write it down themselves. */
export function toPlainAnswer(
  answer: ToolAnswer,
):
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: string; readonly data?: unknown } {
  return JSON.parse(toAnswerText(answer));
}

/** What a tool of somebody else gave: an answer, or in words why it is none. What it reveals counts only as a list of texts. */
export function checkAnswer(given: unknown, { tool }: { tool: string }): ToolAnswer {
  if (typeof given !== 'object' || given === null || typeof (given as { ok?: unknown }).ok !== 'boolean') {
    const what = given === undefined ? 'nothing' : `what is no answer (${describe(given)})`;
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
    // Once: what can be written down now need not be able to a second time.
    const text: string | undefined = JSON.stringify(answer.data);
    if (text !== undefined) return { ...answer, data: toBounded(text) };
    return { ok: false, error: `The answer of ${tool} is no JSON: it is a ${typeof answer.data}.` };
  } catch (error) {
    return { ok: false, error: `The answer of ${tool} is no JSON: ${toErrorText(error)}` };
  }
}

/**
 * The data that the text stands for. Where nobody would read it all, the longest text in it is cut, so that all other fields are there as the
 * schema of the tool says; or the beginning of the whole where that is not enough.
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
    return `${tool} failed, and its error is no JSON.`;
  }
}

function describe(given: unknown): string {
  if (Array.isArray(given)) return 'a list';
  if (given === null) return 'null';
  return typeof given === 'object' ? 'an object without a boolean "ok"' : `a ${typeof given}`;
}

/** `<process_notice` and its end, also with blanks inside, and as it stands in a JSON text. */
const noticeTag = /<(?=(?:\s|\\[nrt]){0,8}\/?(?:\s|\\[nrt]){0,8}process_notice)/gi;

/**
 * Text that cannot be taken for one of our notices, nor end one. Everything that a process, a file or a person wrote goes through
 * here before a model sees it.
 */
export function neutraliseMarkup(text: string): string {
  return text.replace(noticeTag, '&lt;');
}

/**
 * To be called once an answer is in a transcript, or was sent: see `ToolAnswer.onRecorded`. That is somebody else's code: what it
 * throws, or rejects with, becomes a warning.
 */
export function confirmRecorded(answer: ToolAnswer): void {
  const tell = async () => answer.onRecorded?.();
  tell().catch((error) => process.emitWarning(toError(error)));
}
