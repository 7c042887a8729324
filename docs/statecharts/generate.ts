/** Writes the pictures of the machines into this folder: `npm run graph`. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderStatecharts } from './render.ts';

const files = renderStatecharts();
for (const entry of readdirSync(import.meta.dirname, { withFileTypes: true })) {
  if (entry.isFile() && isStale(entry.name)) rmSync(join(import.meta.dirname, entry.name));
}
for (const [name, text] of files) writeFileSync(join(import.meta.dirname, name), text);

function isStale(name: string): boolean {
  return !name.endsWith('.ts') && !files.has(name);
}
