/** Says what a chart needs that runs without its supervisor. */
export const supervisorNeeded =
  'this chart needs a supervisor, which performs its effects. To run a process in a machine of your own, invoke ' +
  'processLogic(supervisor) of troupe/xstate; to drive the chart yourself, give it effects with .provide().';

/** Throws in place of an effect that a chart only names, so that no chart runs with a missing effect. */
export function notProvided(effect: string): never {
  throw new Error(`The effect "${effect}" was not provided: ${supervisorNeeded}`);
}
