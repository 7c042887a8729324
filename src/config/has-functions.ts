/** Checks of values that a schema cannot describe. */
export const isFunction = (value: unknown) => typeof value === 'function';
export const hasFunctions =
  (...names: readonly string[]) =>
  (value: unknown) =>
    names.every((name) => isFunction((value as Readonly<Record<string, unknown>> | null)?.[name]));
