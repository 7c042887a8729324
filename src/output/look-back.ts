import { unfinishedBytes } from './decode.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';
import { unfinishedEscapeLength } from './plain-text.ts';

/** Escape sequences longer than this, when cut by a read, show their rest. */
const longestEscapeBytes = 1024;

/**
 * The bytes before a position that an earlier read has not shown, since what they begin was not complete: part of a
 * character, or in plain text of an escape sequence. What is divided by a cursor belongs to the read that sees its end.
 */
export function bytesToFinish(
  log: OutputLog,
  at: { stream: OutputStream; position: number; format: 'plain' | 'raw' },
): Uint8Array {
  const before = bytesBefore(log, at);
  const unfinished = unfinishedBytes(before);
  const whole = before.subarray(0, before.byteLength - unfinished);
  const escapeText = at.format === 'raw' ? '' : whole.toString();
  const escapeLength = unfinishedEscapeLength(escapeText);
  const escapeBytes = escapeLength === 0 ? 0 : Buffer.byteLength(escapeText.slice(-escapeLength));
  return before.subarray(Math.max(0, before.byteLength - unfinished - escapeBytes));
}

function bytesBefore(log: OutputLog, at: { stream: OutputStream; position: number }): Buffer {
  const from = Math.max(0, at.position - longestEscapeBytes);
  let before: Uint8Array[] = [];
  for (const piece of log.chunks({ stdout: from, stderr: from, screen: from }, at.stream)) {
    if (piece.position >= at.position) break;
    if (piece.type === 'gap') before = [];
    else before.push(piece.bytes.subarray(0, at.position - piece.position));
  }
  return Buffer.concat(before);
}
