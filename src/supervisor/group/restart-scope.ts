/** OTP's words for what the fall of one member means for the others. */
export type RestartStrategy =
  /** Nothing. */
  | 'oneForOne'
  /** All others begin anew as well. */
  | 'oneForAll'
  /** Those that were started after it begin anew as well. */
  | 'restForOne';

/** Which others begin anew with `fallen`, in start order. */
export function restartScope(
  strategy: RestartStrategy,
  { order, fallen }: { order: readonly string[]; fallen: string },
): readonly string[] {
  switch (strategy) {
    case 'oneForOne':
      return [];
    case 'oneForAll':
      return order.filter((name) => name !== fallen);
    case 'restForOne':
      return order.slice(order.indexOf(fallen) + 1);
  }
}
