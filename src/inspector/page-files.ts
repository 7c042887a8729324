import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** Folder of the built page, as seen from the sources and from the built library. */
const folder = join(
  import.meta.dirname,
  extname(import.meta.filename) === '.ts' ? '../../dist/inspector/page' : '../../inspector/page',
);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Content security policy: all resources come from this server, and scripts only from files of the page. Inline styles are allowed because
 * xterm.js sets them.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
};

/** Returns the file of the page with that name, such as `main.js` or `chunks/terminal.js`; `null` for any other name. */
export async function readPageFile(name: string): Promise<Response | null> {
  const type = types[extname(name)];
  if (type === undefined || !/^[\w-]+(?:\/[\w-]+)?\.\w+$/.test(name)) return null;
  try {
    const content = await readFile(join(folder, name));
    return new Response(new Uint8Array(content), { headers: { ...headers, 'content-type': type } });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (name !== 'index.html') return null;
    const message = 'The page was not built. In a clone of troupe: npm run build.\n';
    return new Response(message, { status: 503, headers: { 'content-type': 'text/plain' } });
  }
}
