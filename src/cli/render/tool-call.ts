import type { ToolCall } from '../../models/chat-model.ts';
import { toMarked } from './margin.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import { shorten } from './shorten.ts';

/** How much of a long argument is shown: a script, or a file that is written. */
const SHOWN = { first: 6, last: 2 };

/** A call as it is made: the tool, its arguments, and behind `$` the command. */
export function renderToolCall(call: ToolCall, page: Page): string[] {
  const name = page.paint('bold', toPrintable(call.name));
  const [first = '', ...more] = shorten(
    toPrintable(describeArguments(call.argumentsText)).split('\n'),
    SHOWN,
  );
  return toMarked({ voice: 'call', text: [`${name}  ${first}`.trimEnd(), ...more].join('\n') }, page);
}

/** The arguments of a call in one text; as they were written where they are no JSON. */
export function describeArguments(argumentsText: string): string {
  const given = parse(argumentsText);
  if (given === null) return argumentsText;
  const { command, ...rest } = given;
  const others = Object.entries(rest).map(([key, value]) => `${key}=${toText(value)}`);
  const shell =
    typeof command === 'string' ? [`$ ${command}`] : command === undefined ? [] : [toText(command)];
  return [...others, ...shell].join('  ');
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
