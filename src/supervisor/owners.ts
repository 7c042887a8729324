import type { Cancel } from '../clock/clock.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Which owner stands under which. */
export interface Owners {
  /** @throws TroupeError `invalid-option` where an owner would stand under itself. */
  adopt(owner: string, place: { readonly parent: string }): Cancel;
  isWithin(owner: string, ancestor: string): boolean;
}

export function createOwners(): Owners {
  /** The newest of an owner's places counts. */
  const places = new Map<string, { readonly parent: string }>();

  const isWithin = (owner: string, ancestor: string): boolean => {
    for (let at: string | undefined = owner; at !== undefined; at = places.get(at)?.parent) {
      if (at === ancestor) return true;
    }
    return false;
  };

  return {
    isWithin,
    adopt: (owner, { parent }) => {
      if (isWithin(parent, owner)) {
        const message = `adopt: the parent of ${quote(owner)} is ${quote(parent)}; expected an owner that does not stand under it.`;
        throw new TroupeError({ code: 'invalid-option', message });
      }
      const place = { parent };
      places.set(owner, place);
      return () => {
        if (places.get(owner) === place) places.delete(owner);
      };
    },
  };
}
