/** Workers, which run commands of other hosts: `import { openWorker } from 'troupe/remote'`. */
export type { RemoteOptions } from '../config/remote-options.ts';
export { openWorker, type RemoteWorker } from './open-worker.ts';
export type { WorkerOptions } from './worker-options.ts';
