import { toNotice } from './log-cap.ts';
import type { LogFileHandle } from './log-file-system.ts';
import type { LogLayout } from './log-layout.ts';
import { dropLeading } from './write-queue.ts';

interface OpenLog {
  readonly handle: LogFileHandle;
  readonly layout: LogLayout;
}

/** Appends a line that is not output. A line cut off by a full disk is ignored and written again. */
export async function appendLine(
  { handle, layout }: OpenLog,
  { text, missingBytes }: { readonly text: string; readonly missingBytes: number },
): Promise<void> {
  const line = Buffer.from(toNotice(text));
  let written = 0;
  try {
    while (written < line.byteLength) {
      const { bytesWritten } = await handle.writev([line.subarray(written)]);
      written += bytesWritten;
    }
  } finally {
    layout.addLine(written, written === line.byteLength ? missingBytes : 0);
  }
}

/** Appends output; gives back to `restore` what could not be written. */
export async function appendOutput(
  { handle, layout }: OpenLog,
  {
    pieces,
    restore,
  }: { readonly pieces: readonly Uint8Array[]; restore(pieces: readonly Uint8Array[]): void },
): Promise<void> {
  let left = pieces;
  try {
    while (left.length > 0) {
      const { bytesWritten } = await handle.writev(left);
      layout.addOutput(bytesWritten);
      left = dropLeading(left, bytesWritten);
    }
  } catch (error) {
    restore(left);
    throw error;
  }
}
