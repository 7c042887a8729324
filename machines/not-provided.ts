/** The body of an effect that a chart only names. Running a chart whose effects were not filled in must not pass. */
export function notProvided(effect: string): never {
  throw new Error(`The effect "${effect}" was not provided: run this chart through .provide().`);
}
