import { createContext, createElement, type ReactElement, type ReactNode, useContext } from 'react';
import { TroupeError } from '../config/troupe-error.ts';
import type { LiveStore } from '../live/live-state.ts';

const StoreContext = createContext<LiveStore | null>(null);

/** Properties of `TroupeProvider`. */
export interface TroupeProviderProps {
  /** Made once, outside of components: `createLocalStore` or `createRemoteStore`. */
  readonly store: LiveStore;
  readonly children?: ReactNode;
}

/** Gives the store to the hooks of the components below. */
export function TroupeProvider({ store, children }: TroupeProviderProps): ReactElement {
  return createElement(StoreContext.Provider, { value: store, children });
}

/** Returns the store of the nearest provider, or one that is empty where `isNeeded` is false. @throws TroupeError `invalid-option` where there is none. */
export function useStore(hook: string, { isNeeded }: { readonly isNeeded: boolean }): LiveStore | null {
  const store = useContext(StoreContext);
  if (store !== null || !isNeeded) return store;
  const message = `${hook}: there is no <TroupeProvider store={…}> above this component. Add one.`;
  throw new TroupeError({ code: 'invalid-option', message });
}
