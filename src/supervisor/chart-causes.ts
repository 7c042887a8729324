import type { ActorRefLike, AnyActorRef } from 'xstate';
import { takenIn, toEventLabel, toGuardLabels } from '../charts/labels.ts';
import type { TimelineCause } from '../process/timeline.ts';

/** Observes the actors below `root`. Returns a function that gives the event and guards of an actor's last transition. */
export function observeCauses(root: AnyActorRef): (actor: ActorRefLike) => TimelineCause | null {
  const causes = new WeakMap<
    ActorRefLike,
    { readonly event: string; readonly guards: string[]; isOver: boolean }
  >();
  root.system.inspect((event) => {
    const { actorRef } = event;
    if (event.type === '@xstate.microstep') {
      const known = causes.get(actorRef);
      const cause =
        known === undefined || known.isOver
          ? { event: toEventLabel(event.event.type), guards: [], isOver: false }
          : known;
      cause.guards.push(...toGuardLabels(takenIn(event)));
      causes.set(actorRef, cause);
    } else if (event.type === '@xstate.snapshot') {
      const known = causes.get(actorRef);
      if (known !== undefined) known.isOver = true;
    }
  });
  return (actor) => {
    const cause = causes.get(actor);
    return cause === undefined ? null : { event: cause.event, guards: [...cause.guards] };
  };
}
