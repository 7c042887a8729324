import type { LogFileHandle, LogFileSystem } from './log-file-system.ts';
import type { LogLayout } from './log-layout.ts';

const copyBytes = 256 * 1024;

/**
 * Makes a log that is at its cap smaller: head, a line that says how much is missing, and the newest eighth of the cap, in a file
 * beside it that then takes its name. At every moment one of the two is complete under the log's name. Answers with the
 * handle to go on with; when it rejects, the old one and the old file are as they were.
 */
export async function compactLog(options: {
  files: LogFileSystem;
  path: string;
  handle: LogFileHandle;
  layout: LogLayout;
  pendingBytes: number;
}): Promise<LogFileHandle> {
  const { files, path, handle, layout } = options;
  const plan = layout.planCompaction(options.pendingBytes);
  const besidePath = `${path}.new`;
  await files.rm(besidePath, { force: true });
  const beside = await files.open(besidePath, 'create');
  try {
    await copy(handle, beside, { from: 0, to: plan.headBytes });
    await beside.writev([plan.line]);
    await copy(handle, beside, { from: plan.tailFrom, to: layout.size });
    await files.rename(besidePath, path);
  } catch (error) {
    await beside.close().catch(() => {});
    await files.rm(besidePath, { force: true }).catch(() => {});
    throw error;
  }
  layout.applied(plan);
  await handle.close().catch(() => {});
  return beside;
}

async function copy(
  from: LogFileHandle,
  to: LogFileHandle,
  range: { from: number; to: number },
): Promise<void> {
  const buffer = new Uint8Array(Math.min(copyBytes, range.to - range.from));
  for (let at = range.from; at < range.to; ) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.byteLength, range.to - at), at);
    if (bytesRead === 0) throw new Error(`the log file ended at byte ${at}, expected ${range.to}`);
    for (let written = 0; written < bytesRead; ) {
      const result = await to.writev([buffer.subarray(written, bytesRead)]);
      written += result.bytesWritten;
    }
    at += bytesRead;
  }
}
