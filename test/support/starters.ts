import { createStarter, type Starter } from '../../src/spawn/starter/starter.ts';
import { StarterEnded } from '../../src/spawn/starter/starter-process.ts';

/** A starter that is used whatever the size of this program. */
export const createTestStarter = () =>
  createStarter({
    use: true,
    inheritedLineage: undefined,
    reportError: (error) => {
      throw error;
    },
  });

/** A starter that ends before it has started anything. */
export const endedStarter: Starter = {
  isUsed: () => true,
  start: () => Promise.reject(new StarterEnded('the starter process ended (SIGKILL)')),
  run: () => Promise.reject(new StarterEnded('the starter process ended (SIGKILL)')),
  close: async () => {},
  pid: null,
};
