import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long for their size: walks, whole programs, and waits. */
export const longFiles = [
  'model/conversation',
  'model/process-on-scripts',
  'model/process-on-real-programs',
  'model/conversation-races',
  'model/mutants',
  'scenarios/recovery',
  'scenarios/terminals',
  'scenarios/volume',
  'soak/crash',
  'cli/chat/pipe',
  'cli/chat/chat-terminal',
  'cli/exec',
  'mcp/stdio',
  'mcp/inspector',
  'state-directory/halted',
  'input-detection/idle',
  'output/read-large-log',
  'store/concurrent-saves',
  'supervisor/recovery-without-tmux',
  'docs/demo',
  'docs/terminals',
  'docs/examples',
].map((name) => `test/${name}.test.ts`);

/**
 * Starts the long files first, so that no worker is left with one at the end. Vitest orders by the times of the last run, and by size where
 * there is none; a new checkout has none, and some of the longest files are the smallest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longFiles.includes(relative(root, moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
