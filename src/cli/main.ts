#!/usr/bin/env sh
// 2>/dev/null; while read -r k v; do [ "$k" = SigIgn: ] && export TROUPE_IGNORED_SIGNALS="$v"; done 2>/dev/null </proc/$$/status; exec node "$0" "$@"
// `env`, because package checkers know a program by it. The line above is a comment here and a program for the shell: Node sets every signal
// to its default when it starts, so that what `nohup` has it ignore is gone before any of our code runs.

// Every Node that knows modules can read this file: nothing in it is newer. The rest is loaded once the version is known.

// Bun and Deno name a version of Node as well.
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
  // In the temp directory. Where it cannot be written, all is as without it.
  process.getBuiltinModule('node:module').enableCompileCache();
  import('./run-cli.ts').then(({ runCli }) => runCli(process.argv.slice(2)));
}
