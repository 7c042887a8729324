import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { WaitOrder } from '../../state-directory/state-directory.ts';
import { parseDuration } from '../flag-values.ts';

/** The conditions of `troupe wait` as they stand on the command line. */
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
 * What is waited for; `null` for the end alone, of which the exit code tells more.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function parseConditions(flags: ConditionFlags): WaitOrder | null {
  const { exit, ready, text, pattern, port, portFree, http, file, quietFor, input, any, all } = flags;
  const conditions: WaitOrder = {
    ...(exit === true && { exit }),
    ...(ready === true && { ready }),
    ...(text !== undefined && { text: readText(text, '--text') }),
    ...(pattern !== undefined && { pattern: readText(pattern, '--pattern') }),
    ...(port !== undefined && { port: readPort(port, '--port') }),
    ...(portFree !== undefined && { portFree: readPort(portFree, '--port-free') }),
    ...(http !== undefined && { http: readAddress(http) }),
    ...(file !== undefined && { file: readText(file, '--file') }),
    ...(quietFor !== undefined && { quiet: parseDuration(quietFor, '--quiet-for') }),
    ...(input === true && { input }),
  };
  const names = Object.keys(conditions);
  if (any === true && all === true) throw refuse('--any and --all exclude each other: give one.');
  if (names.length === 0 && (any === true || all === true)) {
    throw refuse(`${any === true ? '--any' : '--all'} has no conditions that it is about.`);
  }
  if (names.every((name) => name === 'exit')) return null;
  return { ...conditions, mode: all === true ? 'all' : 'any' };
}

function readText(text: string, flag: string): string {
  if (text !== '') return text;
  throw refuse(`${flag} is empty.`);
}

function readPort(text: string, flag: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw refuse(`${flag} is ${quote(text)}; expected a number from 1 to 65535.`);
}

function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw refuse(`--http is ${quote(text)}; expected an address such as http://127.0.0.1:3000/.`);
}

function refuse(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}
