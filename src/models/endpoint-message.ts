import { shorten } from '../config/shorten.ts';

const MAX_LENGTH = 500;

/** What an endpoint says went wrong, and the word it has for that. */
export interface EndpointMessage {
  readonly text: string;
  /** Its code, type or status, joined; `''` where it has none. */
  readonly code: string;
}

/** Reads the body of an error: `{error: {message}}`, `{error}`, `{message}`, `{detail}`, a list of these, or any other text. */
export function readEndpointMessage(body: string): EndpointMessage {
  try {
    return fromValue(JSON.parse(body)) ?? { text: toLine(body), code: '' };
  } catch {
    return { text: toLine(body), code: '' };
  }
}

/** The same of a value that was parsed already; `null` where there is no text in it. */
export function fromValue(value: unknown): EndpointMessage | null {
  if (typeof value === 'string') return value.trim() === '' ? null : { text: toLine(value), code: '' };
  if (Array.isArray(value)) return fromValue(value[0]);
  if (typeof value !== 'object' || value === null) return null;
  const { error, message, detail, msg, code, type, status } = value as Record<string, unknown>;
  const found = fromValue(error) ?? fromValue(message) ?? fromValue(detail) ?? fromValue(msg);
  if (found === null) return null;
  const words = [found.code, code, type, status].filter((word) => typeof word === 'string' && word !== '');
  return { text: found.text, code: words.join(' ') };
}

/** On one line and not too long; no control character of a terminal in clear. */
export function toLine(text: string): string {
  const line = text
    .replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  return shorten(line, MAX_LENGTH);
}

/** Somebody's words in front of ours. */
export function toSentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}
