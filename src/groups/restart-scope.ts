/** Restart strategies of OTP: they choose the members that are restarted when another one terminates. */
export type RestartStrategy =
  /** Restarts no others. */
  | 'oneForOne'
  /** Ends all others, then starts all in order. */
  | 'oneForAll'
  /** Ends the members after it in start order, and starts them again after it. */
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
