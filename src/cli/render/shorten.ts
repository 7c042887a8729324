/** The first and the last of many lines, with how many are left out between them. */
export function shorten(
  lines: readonly string[],
  { first, last }: { readonly first: number; readonly last: number },
): readonly string[] {
  const left = lines.length - first - last;
  // A line that says that one line is missing saves nothing.
  if (left <= 1) return lines;
  return [...lines.slice(0, first), `… ${left} lines more …`, ...lines.slice(lines.length - last)];
}
