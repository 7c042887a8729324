import type { Cancel } from '../clock/clock.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** The hierarchy of owners. */
export interface Owners {
  /** Puts an owner below another until cancelled. @throws TroupeError `invalid-option` if an owner would be below itself. */
  adopt(owner: string, place: { readonly parent: string }): Cancel;
  /** Returns `true` if `owner` is `ancestor` or below it at any depth. */
  isWithin(owner: string, ancestor: string): boolean;
}

export function createOwners(): Owners {
  /** Places by owner; the newest one applies. */
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
        const message = `adopt: the parent of ${quote(owner)} is ${quote(parent)}; expected an owner that is not below it.`;
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
