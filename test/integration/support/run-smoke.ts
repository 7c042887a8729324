import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Time limit of all checks together: they take some seconds. */
const MAX_MS = 120_000;

/** Writes the smoke program without types into a folder, where its imports resolve. Returns its path. */
export function writeSmoke(folder: string): string {
  const file = join(folder, 'smoke.mjs');
  writeFileSync(file, stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'smoke.ts'), 'utf8')));
  return file;
}

/**
 * Runs the smoke program, or a bundle of it, and returns the result of each check: `works`, `refused: <sentence>` or `failed: <error>`. Rejects
 * if the program fails, prints anything else, or does not end by itself.
 */
export async function runSmoke(
  [file, ...args]: readonly [string, ...string[]],
  checks: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-smoke-'));
  try {
    const printed = await new Promise<string>((resolve, reject) => {
      const options = { cwd: folder, timeout: MAX_MS, killSignal: 'SIGKILL' } as const;
      execFile(file, [...args, folder, ...checks], options, (error, stdout, stderr) => {
        if (error === null && stderr === '') resolve(stdout);
        else reject(new Error(`${error?.message ?? 'It printed to stderr'}\n${stdout}${stderr}`));
      });
    });
    const results = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { check: string; result: string });
    return Object.fromEntries(results.map(({ check, result }) => [check, result]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
