import { resolve } from 'node:path';
import { formatDuration } from '../../../config/format-duration.ts';
import { toClause } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { describeEnd } from '../../../process/describe-end.ts';
import type { ConditionName, Waited } from '../../../process/waited.ts';
import type { WaitOrder } from '../../../state-directory/state-directory.ts';
import { printError, printLines } from '../../cli-io.ts';
import { exitCodes } from '../../exit-codes.ts';
import { parseDuration, parsePort, parseUrl } from '../../flag-values.ts';
import { toPrintable } from '../../render/printable.ts';
import { toProcessName } from '../../render/process-text.ts';
import { type WaitInput, waitForEach } from './wait-for-each.ts';

/** Conditions of `troupe wait`, as given on the command line. */
export interface ConditionFlags {
  readonly exit?: boolean;
  readonly ready?: boolean;
  readonly text?: string;
  readonly pattern?: string;
  readonly port?: string;
  readonly portFree?: string;
  readonly http?: string;
  readonly file?: string;
  readonly quietFor?: string;
  readonly input?: boolean;
  readonly any?: boolean;
  readonly all?: boolean;
}

/**
 * Returns the conditions to wait for; `null` for the end alone, which has an exit code of its own.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function parseConditions(flags: ConditionFlags): WaitOrder | null {
  const { exit, ready, text, pattern, port, portFree, http, file, quietFor, input, any, all } = flags;
  const conditions: WaitOrder = {
    ...(exit === true && { exit }),
    ...(ready === true && { ready }),
    ...(text !== undefined && { text: parseText(text, '--text') }),
    ...(pattern !== undefined && { pattern: parseText(pattern, '--pattern') }),
    ...(port !== undefined && { port: parsePort(port, '--port') }),
    ...(portFree !== undefined && { portFree: parsePort(portFree, '--port-free') }),
    ...(http !== undefined && { http: parseUrl(http, '--http') }),
    ...(file !== undefined && { file: parseText(file, '--file') }),
    ...(quietFor !== undefined && { quiet: parseDuration(quietFor, '--quiet-for') }),
    ...(input === true && { input }),
  };
  const names = Object.keys(conditions);
  if (any === true && all === true) throw invalid('--any and --all exclude each other: give one.');
  if (names.length === 0 && (any === true || all === true)) {
    throw invalid(`${any === true ? '--any' : '--all'} needs conditions.`);
  }
  if (names.every((name) => name === 'exit')) return null;
  return { ...conditions, mode: all === true ? 'all' : 'any' };
}

function parseText(text: string, flag: string): string {
  if (text !== '') return text;
  throw invalid(`${flag} is empty.`);
}

function invalid(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}

interface ConditionsInput extends WaitInput {
  readonly order: WaitOrder;
}

/** Waits until every process meets the conditions, without touching them. @returns 0 if all do. */
export function waitForConditions(input: ConditionsInput): Promise<number> {
  return waitForEach(input, {
    wait: (state, { id, signal }) => state.waitFor(id, input.order, { signal }),
    report: (waited) => report(waited, input),
    toExitCode: (all) => (all.every(({ end }) => end.type === 'met') ? exitCodes.done : exitCodes.failed),
    late: ': the conditions were not met',
  });
}

function report(waited: Waited, { order, flags, io }: ConditionsInput): void {
  const { end, met, missing, waitedMs, matchedLine, process } = waited;
  const name = toProcessName(process);
  if (flags.json === true) return printLines(io, JSON.stringify({ id: process.id, ...waited }));
  const describeAll = (conditions: readonly ConditionName[]) =>
    conditions.map((condition) => describeCondition(condition, { order, cwd: process.cwd })).join(', ');
  if (end.type !== 'met') {
    const what = describeAll(missing);
    return printError(io, `${name}: ${describeFailure(waited)}. Waited until ${what}.`);
  }
  if (flags.quiet === true) return;
  const line = matchedLine === null ? '' : `: ${matchedLine}`;
  printLines(io, toPrintable(`${name}: ${describeAll(met)}, after ${formatDuration(waitedMs)}${line}`));
}

function describeFailure({ end, process, impossible }: Waited): string {
  if (end.type === 'impossible') return withoutPeriod(end.why);
  const what = 'endedAt' in process ? `it ${describeEnd(process.reason, process.exit)}` : 'the wait ended';
  return [what, ...impossible.map(withoutPeriod)].join('; ');
}

function withoutPeriod(sentence: string): string {
  return toClause(sentence);
}

function describeCondition(
  condition: ConditionName,
  { order, cwd }: { readonly order: WaitOrder; readonly cwd: string },
): string {
  switch (condition) {
    case 'exit':
      return 'it has ended';
    case 'text':
      return `it prints "${order.text}"`;
    case 'pattern':
      return `it prints a line that matches /${order.pattern}/`;
    case 'ready':
      return 'it is ready';
    case 'quiet':
      return `it is silent for ${formatDuration(Number(order.quiet))}`;
    case 'port':
      return `it listens on port ${order.port}`;
    case 'portFree':
      return `port ${order.portFree} is free`;
    case 'http':
      return `${order.http} answers`;
    case 'file':
      return `${resolve(cwd, String(order.file))} is there, written since its start`;
    case 'input':
      return 'it waits for input';
  }
}
