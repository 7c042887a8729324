import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import config from '../../vitest.config.ts';

class AsCalled extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

export default mergeConfig(config, {
  cacheDir: '.vitest/cache',
  test: { maxWorkers: 2, sequence: { sequencer: AsCalled } },
});
