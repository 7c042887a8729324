/** For an option that can stand there several times: what it was given, in order. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
