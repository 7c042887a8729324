import type { ToolCall } from '../../models/chat-model.ts';
import type { ToolAnswer } from '../../tools/tool.ts';
import { shortenLines, toMarked, toQuoted } from './margin.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';

/** Lines shown of a long argument, such as a script or the content of a file. */
const SHOWN_ARGUMENT_LINES = { first: 6, last: 2 };

/** Renders a tool call: the tool, its arguments, and the command after `$`. */
export function renderToolCall(call: ToolCall, page: Page): string[] {
  const name = page.paint('bold', toPrintable(call.name));
  const [first = '', ...more] = shortenLines(
    toPrintable(describeArguments(call.argumentsText)).split('\n'),
    SHOWN_ARGUMENT_LINES,
  );
  return toMarked({ voice: 'call', text: [`${name}  ${first}`.trimEnd(), ...more].join('\n') }, page);
}

/** Describes the arguments of a call in one text, or returns them unchanged if they are not JSON. */
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

const SHOWN_OUTPUT_LINES = { first: 5, last: 5 };

/** Renders the answer to a call: one line with the result, and the shortened output behind a bar. */
export function renderToolAnswer(
  { call, answer }: { readonly call: ToolCall; readonly answer: ToolAnswer },
  page: Page,
): string[] {
  const name = toPrintable(call.name);
  if (!answer.ok) {
    const output = answer.data === undefined ? '' : describeData(answer.data).output;
    return [...renderFailure(name, toPrintable(answer.error), page), ...renderOutput(output, page)];
  }
  const { summary, output } = describeData(answer.data);
  const text = summary === '' ? name : `${name}: ${toPrintable(summary)}`;
  return [...toMarked({ voice: 'answer', text, style: 'dim' }, page), ...renderOutput(output, page)];
}

/** Treats the first line as the error if it is a sentence; otherwise the whole text is output of a command. */
function renderFailure(name: string, error: string, page: Page): string[] {
  const [first = '', ...more] = error.trim().split('\n');
  const isSaid = more.length === 0 || /[.:]$/.test(first);
  const text = isSaid ? `${name} failed: ${first}` : `${name} failed`;
  return [
    ...toMarked({ voice: 'answer', text, style: 'red' }, page),
    ...toQuoted(shortenLines(isSaid ? more : [first, ...more], SHOWN_OUTPUT_LINES), page),
  ];
}

function renderOutput(output: string, page: Page): string[] {
  const text = toPrintable(output).trimEnd();
  return text === '' ? [] : toQuoted(shortenLines(text.split('\n'), SHOWN_OUTPUT_LINES), page);
}

/** Summarises the known keys of troupe's own tools; answers of other tools are shown unchanged. */
function describeData(data: unknown): { summary: string; output: string } {
  if (typeof data === 'string') return { summary: '', output: data };
  if (typeof data !== 'object' || data === null) return { summary: JSON.stringify(data) ?? '', output: '' };
  const { process_id, status, exit_code, message, output, processes, ...rest } = data as Record<
    string,
    unknown
  >;
  if (Array.isArray(processes)) return describeList(processes);
  const facts = [
    ...(typeof status === 'string' ? [status] : []),
    ...(typeof exit_code === 'number' ? [`code ${exit_code}`] : []),
    ...(typeof process_id === 'string' ? [process_id] : []),
  ];
  // The message of a promotion tells the model how to continue.
  const said = typeof message === 'string' && status !== 'backgrounded' ? message : '';
  if (typeof output === 'string') return { summary: join(facts, said), output };
  if (said !== '' || facts.length > 0) return { summary: join(facts, said), output: '' };
  return { summary: '', output: JSON.stringify(rest, null, 1) };
}

function join(facts: readonly string[], said: string): string {
  return [facts.join(', '), said].filter((part) => part !== '').join('. ');
}

function describeList(processes: readonly unknown[]): { summary: string; output: string } {
  const lines = processes.map((each) => {
    const { process_id, label, status, command } = each as Record<string, unknown>;
    return [process_id, status, label, command].filter((part) => typeof part === 'string').join('  ');
  });
  const summary =
    lines.length === 0 ? 'no processes' : lines.length === 1 ? '1 process' : `${lines.length} processes`;
  return { summary, output: lines.join('\n') };
}
