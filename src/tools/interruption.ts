import { defer, filter, firstValueFrom, from, fromEvent, map, merge, type Observable, of } from 'rxjs';
import type { ProcessHandle } from '../process/process-handle.ts';
import { isEnded, type ProcessView } from '../process/process-view.ts';

type OrInterrupted<T> = { readonly type: 'done'; readonly value: T } | { readonly type: 'interrupted' };

/** Resolves with the promise's value, or with `interrupted`. Leaves the signal as it was. */
export function orInterrupted<T>(promise: Promise<T>, interrupt: AbortSignal): Promise<OrInterrupted<T>> {
  const done$ = from(promise).pipe(map((value) => ({ type: 'done', value }) as const));
  return firstValueFrom(merge(done$, interruption$(interrupt)));
}

/** Resolves with the first matching view, or the last of all. Leaves no subscription behind. */
export function waitForView(
  fits: (view: ProcessView) => boolean,
  { handle, interrupt }: { handle: ProcessHandle; interrupt: AbortSignal },
): Promise<OrInterrupted<ProcessView>> {
  const view$ = handle.view$.pipe(
    filter((view) => fits(view) || isEnded(view)),
    map((value) => ({ type: 'done', value }) as const),
  );
  return firstValueFrom(merge(view$, interruption$(interrupt)));
}

function interruption$(signal: AbortSignal): Observable<{ readonly type: 'interrupted' }> {
  const interrupted = { type: 'interrupted' } as const;
  return defer(() =>
    signal.aborted ? of(interrupted) : fromEvent(signal, 'abort').pipe(map(() => interrupted)),
  );
}
