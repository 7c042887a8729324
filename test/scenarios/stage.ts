import {
  createSupervisor,
  type RuntimeEvent,
  type Supervisor,
  type SupervisorOptions,
} from '../../src/index.ts';
import { carriers, endAll, tempDir } from '../fixtures/os.ts';

/** A supervisor with real processes, and a directory in which they run. */
export interface Stage extends AsyncDisposable {
  readonly supervisor: Supervisor;
  readonly events: readonly RuntimeEvent[];
  readonly directory: string;
  readonly file: (name: string) => string;
  /** The pids of all that descends from this supervisor and is alive, by the system's word. */
  alive(id?: string): number[];
  count(type: RuntimeEvent['type'], id?: string): number;
}

/** Its end shuts the supervisor down, and fails when anything has survived that. */
export function openStage(options: SupervisorOptions = {}): Stage {
  const directory = tempDir();
  const supervisor = createSupervisor({
    cwd: directory.path,
    stateDirectory: directory.file('state'),
    shutdownGrace: 300,
    ...options,
  });
  const events: RuntimeEvent[] = [];
  supervisor.events$.subscribe((event) => events.push(event));
  const alive = (id: string = supervisor.id) => carriers(`/${id}/`);
  return {
    supervisor,
    events,
    directory: directory.path,
    file: directory.file,
    alive,
    count: (type, id) =>
      events.filter(
        (event) =>
          event.type === type && (id === undefined || ('process' in event && event.process.id === id)),
      ).length,
    [Symbol.asyncDispose]: async () => {
      const report = await supervisor.shutdown();
      const survivors = alive();
      await endAll(survivors, `/${supervisor.id}/`);
      directory.remove();
      if (survivors.length > 0) {
        throw new Error(
          `survived the shutdown: ${survivors.join(', ')}; the report says ${JSON.stringify(report)}`,
        );
      }
    },
  };
}
