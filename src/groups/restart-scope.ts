/** OTP's words for what the end of one member means for the others. */
export type RestartStrategy =
  /** Nothing. */
  | 'oneForOne'
  /** All others are ended, and then all are started. */
  | 'oneForAll'
  /** Those that were started after it are ended, and then started after it. */
  | 'restForOne';

/** Which others are restarted with `terminated`, in start order. */
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
