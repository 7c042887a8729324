/**
 * A value that stands for any value: every property of it, and what it returns when called, is a probe again, and as
 * a number it is 1. With it a chart's parameter functions can be asked for the words they always say.
 *
 * @param known properties that are answered truly.
 */
export function createProbe(known: Readonly<Record<string, unknown>> = {}): unknown {
  const probe: unknown = new Proxy(() => probe, {
    get: (_, key) => {
      if (key === Symbol.toPrimitive) return () => 1;
      return typeof key === 'string' && Object.hasOwn(known, key) ? known[key] : probe;
    },
  });
  return probe;
}
