import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The sources are stripped of their types once a run, not once a program that a test starts. Not set for the test runner's own
// workers: they would write there at their very end, when the folder of the run is gone.
process.env['NODE_COMPILE_CACHE'] = join(tmpdir(), 'compile-cache');
