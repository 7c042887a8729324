/** Starts a tree of two processes, prints their ids, and dies without a word. */
import { writeSync } from 'node:fs';
import { createSupervisor, waitFor } from 'troupe';

const supervisor = createSupervisor({ stateDirectory: false });
const handle = supervisor.start({ command: 'setsid sleep 600 & echo "$$ $! begun"; wait', background: true });
await waitFor(handle, { text: 'begun', timeout: '30s' });
writeSync(1, handle.read({ format: 'raw' }).text);
process.kill(process.pid, 'SIGKILL');
