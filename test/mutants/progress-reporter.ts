import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Appends a line for each test and each file that has ended, so that the progress of a hanging run is known. */
export default class ProgressReporter implements Reporter {
  readonly #file = process.env['TROUPE_MUTANT_PROGRESS'] ?? '/dev/null';

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'failed') this.#append({ failed: test.fullName, file: toPath(test.module) });
    else this.#append({});
  }

  onTestModuleEnd(module: TestModule): void {
    const hasErrors = module.errors().length > 0;
    if (hasErrors) this.#append({ failed: 'the file cannot be loaded', file: toPath(module) });
    else if (module.state() === 'passed') this.#append({ passed: toPath(module) });
  }

  #append(line: object): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

function toPath({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}
