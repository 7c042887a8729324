import { z } from 'zod';

/** Beginnings of the ids that troupe gives. */
const given = /^(?:tool|agent|service|sup)_/;

/** Returns `true` for an id that a caller chose. */
export function isOwnId(id: string): boolean {
  return !given.test(id);
}

/** Schema of an id of the caller's choice: it names files, and stands in command lines. */
export const ownId = z
  .string({ error: () => 'text' })
  .refine((id) => /^[a-z0-9][\w-]{0,63}$/i.test(id), {
    abort: true,
    error: () => '1 to 64 letters, digits, "_" and "-", beginning with a letter or a digit',
  })
  .refine(isOwnId, {
    error: () =>
      'an id of your own: those that begin with tool_, agent_, service_ or sup_ are given by troupe',
  });
