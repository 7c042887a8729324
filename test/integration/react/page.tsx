import { hydrateRoot } from 'react-dom/client';
import type { LiveState } from 'troupe';
import { createRemoteStore } from 'troupe/react';
import { App } from './example.tsx';

declare global {
  var given: { initial: LiveState; token: string; conversation: string };
  var unmount: () => void;
}

const { initial, token, conversation } = globalThis.given;
const store = createRemoteStore('/api/troupe', { initial, token });
const root = hydrateRoot(
  document.getElementById('root') as HTMLElement,
  <App store={store} agent={conversation} />,
);
globalThis.unmount = () => root.unmount();
