/** A page with the processes and an agent of a program that serves them with `createLiveHandler`. */
import { StrictMode } from 'react';
import type { LiveStore } from 'troupe';
import { TroupeProvider, useConnection, useConversation, useProcess, useProcesses } from 'troupe/react';

function Process({ id }: { id: string }) {
  const process = useProcess(id);
  return process && <li>{`${process.label ?? process.commandLine}: ${process.status}`}</li>;
}

function Agent({ id }: { id: string }) {
  const { status = 'away', transcript = [], writing = '' } = useConversation(id) ?? {};
  const texts = transcript.filter(({ role }) => role !== 'tool').map(({ text }) => text);
  return <pre>{[`The agent is ${status}.`, ...texts, writing].join('\n')}</pre>;
}

function Page({ agent }: { agent: string }) {
  const processes = useProcesses({ live: true }).map(({ id }) => <Process key={id} id={id} />);
  return (
    <main data-connection={useConnection()}>
      <ul>{processes}</ul>
      <Agent id={agent} />
    </main>
  );
}

/** On the server with `createLocalStore`, in the page with `createRemoteStore('/api/troupe', { initial })`. */
export function App({ store, agent }: { store: LiveStore; agent: string }) {
  return (
    <StrictMode>
      <TroupeProvider store={store}>
        <Page agent={agent} />
      </TroupeProvider>
    </StrictMode>
  );
}
