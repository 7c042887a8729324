import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../support/os.ts';

/** A project with agents in a directory of its own. */
export interface Project extends Disposable {
  readonly directory: string;
  /** Writes a file, by its path in the project. */
  write(path: string, text: string | Uint8Array): string;
}

/** Agents by name; what stands in their files beside the name. */
export function openProject(agents: Readonly<Record<string, string>> = {}): Project {
  const { path: directory, file, remove } = tempDir();
  mkdirSync(join(directory, 'agents'));
  const write = (path: string, text: string | Uint8Array) => {
    writeFileSync(file(path), text);
    return file(path);
  };
  for (const [name, text] of Object.entries(agents)) write(`agents/${name}.yaml`, `name: ${name}\n${text}\n`);
  return { directory, write, [Symbol.dispose]: remove };
}
