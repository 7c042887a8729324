'use client';

export type { ReadableStore } from '../live/live-state.ts';
export { createRemoteStore, type RemoteStoreOptions } from '../live/remote-store.ts';
export { type ProcessFilter, useConnection, useConversation, useProcess, useProcesses } from './hooks.ts';
export { TroupeProvider, type TroupeProviderProps } from './troupe-provider.ts';
