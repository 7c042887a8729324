import type { SourceImport } from './source-imports.ts';

/** The order of the folders: none imports from a row below its own. */
export const layers: readonly (readonly string[])[] = [
  ['config', 'clock'],
  ['machines'],
  ['output', 'spawn', 'policy', 'store', 'secrets'],
  ['process'],
  ['readiness', 'input-detection', 'watches', 'schedules'],
  ['groups', 'observe', 'charts'],
  ['mailbox'],
  ['supervisor'],
  ['control'],
  ['state-directory'],
  ['tools', 'models'],
  ['conversation'],
  ['agents', 'live'],
  ['cli', 'mcp', 'inspector', 'remote', 'react', 'xstate', 'adapters'],
];

const DOOR = 'src/index.ts';
/** What the door does not open: each has a subpath of its own, or none. */
const behindTheDoor = ['cli', 'mcp', 'inspector', 'remote', 'react', 'testing', 'xstate', 'adapters'];

/** What breaks the import rule, one sentence each, with what to do. */
export function findViolations(imports: readonly SourceImport[]): readonly string[] {
  return [...imports.flatMap(judge), ...findCycles(imports)];
}

function judge(imported: SourceImport): readonly string[] {
  const { from, to, kind, isFile } = imported;
  const [source, target] = [folderOf(from), isFile ? folderOf(to) : null];
  const complain = (what: string) => [`${from} imports ${to}: ${what}`];

  if (source === 'machines' && kind !== 'type' && target !== 'machines' && to !== 'xstate') {
    return complain(
      'machines/ may use xstate and its own files only; name an effect and fill it in from src/',
    );
  }
  if (target === null || source === target) return [];
  if (target === 'testing' && source !== 'testing') {
    return complain('src/testing is for tests only; move what both need out of it');
  }
  if (source === 'testing') return [];
  if (target === 'door') return complain('nothing inside imports the door; import the file itself');
  if (source === 'door') {
    return behindTheDoor.includes(target)
      ? complain(`src/${target} has a door of its own; do not export it from this one`)
      : [];
  }
  const [sourceLayer, targetLayer] = [layerOf(source), layerOf(target)];
  if (sourceLayer === -1) return complain(`the folder "${source}" has no place in test/house/import-rule.ts`);
  if (targetLayer === -1) return complain(`the folder "${target}" has no place in test/house/import-rule.ts`);
  if (targetLayer <= sourceLayer) return [];
  return complain(
    `${target} stands after ${source}; hand it in as an argument, or move what both need to the left`,
  );
}

/** `src/spawn/pipe/x.ts` is of `spawn`; files of `src` itself are the door. */
function folderOf(file: string): string {
  if (file.startsWith('machines/')) return 'machines';
  const [, folder, ...rest] = file.split('/');
  return folder === undefined || rest.length === 0 ? 'door' : folder;
}

function layerOf(folder: string): number {
  return layers.findIndex((layer) => layer.includes(folder));
}

/** Returns each cycle once, from the file where the search met it. */
function findCycles(imports: readonly SourceImport[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to, isFile } of imports) {
    if (isFile) targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start !== -1) {
      const cycle = [...path.slice(start), file].join(' → ');
      cycles.push(`${cycle}: a cycle; move what they share into a file of its own`);
    }
    if (start !== -1 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

/** What is loaded with the door before anybody uses anything: packages and builtins, each with a file that asks for it. */
export function loadedWithDoor(
  read: (file: string) => readonly SourceImport[],
  door: string = DOOR,
): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { to, kind, isFile } of read(file)) {
      if (kind !== 'static') continue;
      if (isFile) visit(to);
      else packages.set(to, file);
    }
  };
  visit(door);
  return packages;
}
