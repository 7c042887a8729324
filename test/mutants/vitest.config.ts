import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import config from '../../vitest.config.ts';

class AsCalled extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** Tells the programs that a test starts which test file that is. */
const nameTestFile = './test/mutants/name-test-file.ts';
for (const project of config.test?.projects ?? [])
  if (typeof project === 'object' && 'test' in project && project.test !== undefined)
    project.test.setupFiles = [nameTestFile, ...(project.test.setupFiles ?? [])];

export default mergeConfig(config, {
  cacheDir: '.vitest/cache',
  test: { maxWorkers: 2, sequence: { sequencer: AsCalled } },
});
