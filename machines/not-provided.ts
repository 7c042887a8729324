/** Throws in place of an effect that a chart only names, so that no chart runs with a missing effect. */
export function notProvided(effect: string): never {
  throw new Error(`The effect "${effect}" was not provided: run this chart through .provide().`);
}
