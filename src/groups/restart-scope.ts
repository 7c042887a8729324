/** Restart strategies of OTP: which others are restarted when one member terminates. */
export type RestartStrategy =
  /** None. */
  | 'oneForOne'
  /** All others are ended; then all start in order. */
  | 'oneForAll'
  /** Members after it in start order are ended, and start again after it. */
  | 'restForOne';

/** Returns the other members that are restarted with `terminated`, in start order. */
export function restartScope(
  strategy: RestartStrategy,
  { order, terminated }: { order: readonly string[]; terminated: string },
): readonly string[] {
  switch (strategy) {
    case 'oneForOne':
      return [];
    case 'oneForAll':
      return order.filter((name) => name !== terminated);
    case 'restForOne':
      return order.slice(order.indexOf(terminated) + 1);
  }
}
