/**
 * The few exports of React that the hooks use. React is an optional peer dependency, and its types are those of the user's project: the
 * published declarations import them from there.
 */
declare module 'react' {
  export type ReactNode = unknown;
  export interface ReactElement {
    readonly type: unknown;
    readonly props: unknown;
    readonly key: string | null;
  }
  export interface Context<T> {
    readonly Provider: (props: { readonly value: T; readonly children?: ReactNode }) => ReactElement;
  }
  export function createContext<T>(value: T): Context<T>;
  export function createElement<P>(type: (props: P) => ReactElement, props: P): ReactElement;
  export function useContext<T>(context: Context<T>): T;
  export function useMemo<T>(create: () => T, deps: readonly unknown[]): T;
  export function useSyncExternalStore<T>(
    subscribe: (onChange: () => void) => () => void,
    getSnapshot: () => T,
    getServerSnapshot?: () => T,
  ): T;
}
