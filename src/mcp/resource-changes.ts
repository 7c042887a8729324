import { Observable } from 'rxjs';
import { z } from 'zod';
import { type Duration, duration } from '../config/duration.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { toLogUri, toProcessUri, toScreenUri } from './process-uri.ts';

/** A change of the resources of a client. */
export type ResourceChange =
  /** Processes were created or have ended. */
  { readonly type: 'list' } | { readonly type: 'content'; readonly uri: string };

/** Pauses before a client hears of changes. */
export interface ChangeOptions {
  /** Changes within this time are reported together. Default 100 ms. */
  readonly quiet?: Duration | undefined;
  /** The least time between two reports that an output has grown. Default 1 s. */
  readonly growth?: Duration | undefined;
}

/** Schema of `ChangeOptions`. */
export const changeOptions = z.strictObject({
  quiet: duration.default(100),
  growth: duration.default(1_000),
});

/** `ChangeOptions` in ms. */
export type ChangeTiming = z.output<typeof changeOptions>;

/**
 * Returns changes of the processes of one owner, from now on: of the list, of a status, of an output. A timer runs only while
 * there is a subscriber and a live process of this owner. Completes with the supervisor.
 */
export function observeChanges(
  { supervisor, owner }: { supervisor: Supervisor; owner: string },
  { quiet, growth }: ChangeTiming,
): Observable<ResourceChange> {
  return new Observable((subscriber) => {
    const changed = new Set<string>();
    let hasListChanged = false;
    let flushing: NodeJS.Timeout | undefined;
    let growing: NodeJS.Timeout | undefined;
    let printed = new Map<string, Printed>();

    const flush = () => {
      flushing = undefined;
      if (hasListChanged) subscriber.next({ type: 'list' });
      for (const uri of changed) subscriber.next({ type: 'content', uri });
      hasListChanged = false;
      changed.clear();
      if (printed.size > 0) growing ??= setInterval(tellGrowth, growth).unref();
    };
    const tellGrowth = () => {
      const before = printed;
      printed = readPrinted(supervisor.list({ owner, live: true }));
      for (const [id, { bytes, uris }] of printed) {
        if (bytes <= (before.get(id)?.bytes ?? 0)) continue;
        for (const uri of uris) subscriber.next({ type: 'content', uri });
      }
      if (printed.size === 0) stopGrowth();
    };
    const stopGrowth = () => {
      clearInterval(growing);
      growing = undefined;
    };

    const events = supervisor.events$.subscribe({
      next: (event) => {
        if (!('process' in event) || event.process.owner !== owner) return;
        const { id } = event.process;
        changed.add(toProcessUri(id));
        const uris = urisOf(event.process);
        if (event.type === 'process.created') printed.set(id, { bytes: 0, uris });
        if (event.type === 'process.ended') for (const uri of uris) changed.add(uri);
        if (event.type === 'process.created' || event.type === 'process.ended') hasListChanged = true;
        flushing ??= setTimeout(flush, quiet).unref();
      },
      complete: () => {
        flush();
        subscriber.complete();
      },
    });
    printed = readPrinted(supervisor.list({ owner, live: true }));
    flush();
    return () => {
      clearTimeout(flushing);
      stopGrowth();
      events.unsubscribe();
    };
  });
}

interface Printed {
  readonly bytes: number;
  /** Resources that change with the output. */
  readonly uris: readonly string[];
}

function readPrinted(views: readonly ProcessView[]): Map<string, Printed> {
  return new Map(views.map((view) => [view.id, { bytes: view.output.bytes, uris: urisOf(view) }]));
}

function urisOf({ id, terminal }: ProcessView): readonly string[] {
  return terminal?.type === 'terminal' ? [toLogUri(id), toScreenUri(id)] : [toLogUri(id)];
}
