/** Adds to each event of a union the id of the child actor that sends it to its parent: the `id` of the `invoke` or `spawn`. */
export type ChildEvent<Event extends { readonly type: string }> = Event extends unknown
  ? {
      [Type in Event['type']]: Omit<Event, 'type'> & { readonly type: Type; readonly actorId: string };
    }[Event['type']]
  : never;
