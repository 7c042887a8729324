import {
  createSupervisor,
  type RuntimeEvent,
  type Supervisor,
  type SupervisorOptions,
} from '../../src/index.ts';
import { carriers, endAll, tempDir } from './os.ts';

/** A supervisor of real processes in a temporary directory. */
export interface RealHarness extends AsyncDisposable {
  readonly supervisor: Supervisor;
  /** Events of the supervisor, oldest first. */
  readonly events: readonly RuntimeEvent[];
  /** Working directory; `file` returns the path of a file in it. */
  readonly directory: string;
  readonly file: (name: string) => string;
  /** Path of the state directory; nothing is there with the option `false`. */
  readonly stateDirectory: string;
  /** Returns the living pids below a process, or below this supervisor, as the operating system reports them. */
  alive(id?: string): number[];
  count(type: RuntimeEvent['type'], id?: string): number;
}

/** Creates a supervisor whose disposal shuts it down and fails if anything survives. */
export function openRealHarness(options: SupervisorOptions = {}): RealHarness {
  const directory = tempDir();
  const stateDirectory = options.stateDirectory || directory.file('state');
  const supervisor = createSupervisor({
    cwd: directory.path,
    stateDirectory,
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
    stateDirectory,
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
