import { first, firstValueFrom } from 'rxjs';
import type { ProcessHandle } from '../process/process-handle.ts';

/**
 * Gives a process its input once it runs, and end-of-file. One that does not take all of it says so itself: half of a JSON text is none.
 */
export async function feedInput(handle: ProcessHandle, text: string): Promise<void> {
  const runs$ = handle.view$.pipe(first(({ status }) => status !== 'pending'));
  await firstValueFrom(runs$, { defaultValue: null });
  await handle.write(text);
  await handle.endInput();
}
