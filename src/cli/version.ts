import { readFileSync } from 'node:fs';

/** The version in the package's metadata, read from the sources and from the built program alike. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve('troupe/package.json')), 'utf8'));
  return version;
}
