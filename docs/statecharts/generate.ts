/** Writes the pictures of the machines into this folder: `npm run graph`. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderStatecharts } from './render.ts';

const files = await renderStatecharts();
for (const name of readdirSync(import.meta.dirname)) {
  if (!name.endsWith('.ts') && !files.has(name)) rmSync(join(import.meta.dirname, name));
}
for (const [name, text] of files) writeFileSync(join(import.meta.dirname, name), text);
