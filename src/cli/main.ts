#!/usr/bin/env sh
// 2>/dev/null; while read -r k v; do [ "$k" = SigIgn: ] && export TROUPE_IGNORED_SIGNALS="$v"; done 2>/dev/null </proc/$$/status; exec node "$0" "$@"
// `env`, because package checkers recognise it. The line above is a comment for Node and a script for the shell: Node resets all signals when
// it starts, so the signals that `nohup` ignores must be read before.

// Old versions of Node can parse this file, so that they print the message below. All other files are loaded after the check.

// Bun and Deno report a version of Node, too.
const { bun, deno } = process.versions;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (bun !== undefined || deno !== undefined) {
  process.stderr.write(
    `troupe runs on Node, and this is ${bun === undefined ? `Deno ${deno}` : `Bun ${bun}`}. Start it with node.\n`,
  );
  process.exitCode = 125;
} else if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `troupe needs Node 22.12 or newer, and this is ${process.versions.node}. Install a newer one: https://nodejs.org\n`,
  );
  process.exitCode = 125;
} else {
  // The cache lies in the temp directory; without write access there is none.
  process.getBuiltinModule('node:module').enableCompileCache();
  import('./run-cli.ts').then(({ runCli }) => runCli(process.argv.slice(2)));
}
