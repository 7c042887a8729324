import type { ProcessHandle } from '../process/process-handle.ts';

/**
 * Gives a process that runs its input, and end-of-file. One that does not take all of it says so itself: half of a JSON text is none.
 */
export async function feedInput(handle: ProcessHandle, text: string): Promise<void> {
  await handle.write(text);
  await handle.endInput();
}
