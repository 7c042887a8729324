import { toErrorText } from '../../../config/error-text.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../../../state-directory/state-directory.ts';
import type { Page } from '../../render/page.ts';
import { renderProcessFacts } from '../../render/process-facts.ts';
import { sortForReading } from '../ps.ts';
import { sortRows, type TopPane, type TopRow, type TopView, topOrders } from './top-view.ts';
import type { UsageMeter } from './tree-usage.ts';

/** State of `troupe top`, and the effects of keys. */
export interface TopBoard {
  readonly view: TopView;
  /** Reads the processes again. Expected errors become the message; the promise rejects only for a fault of troupe. */
  refresh(): Promise<void>;
  /** Handles a key by its readline name. Resolves with `true` if it quits. */
  press(key: string): Promise<boolean>;
}

export interface TopBoardOptions {
  readonly state: StateDirectory;
  readonly meter: UsageMeter;
  readonly page: Page;
  readonly showsAll: boolean;
  /** Called after each change of the view. */
  readonly onChange: () => void;
}

const PAGE_ROWS = 10;

export function createTopBoard({ state, meter, page, showsAll, onChange }: TopBoardOptions): TopBoard {
  let view: TopView = {
    path: state.path,
    rows: [],
    selectedId: null,
    order: 'cpu',
    showsAll,
    scene: { type: 'list' },
    message: 'Loading …',
  };

  const change = (changes: Partial<TopView>) => {
    view = { ...view, ...changes };
    onChange();
  };

  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      change({ message: toErrorText(error) });
    }
  };

  const read = async () => {
    const { processes, warnings } = await state.list();
    const rows = sortRows(toRows(sortForReading(processes, { all: view.showsAll })), view.order);
    change({ rows, selectedId: toSelected(rows, view), message: warnings[0] ?? null });
    await refreshFacts();
  };

  const toRows = (processes: readonly SeenProcess[]): readonly TopRow[] => {
    const usages = meter.measure(processes.flatMap(({ view }) => toLeader(view) ?? []));
    return processes.map((seen) => {
      const leader = toLeader(seen.view);
      return { ...seen, usage: leader === null ? null : (usages.get(leader) ?? null) };
    });
  };

  const openFacts = async (id: string | null) => {
    if (id !== null) change({ scene: toFactsScene(await state.show(id), 0) });
  };

  /** Does not replace the pane that a key opened in the meantime. */
  const refreshFacts = async () => {
    if (view.scene.type !== 'facts') return;
    const { id } = view.scene.of;
    const seen = await state.show(id);
    const { scene } = view;
    if (scene.type === 'facts' && scene.of.id === id) change({ scene: toFactsScene(seen, scene.from) });
  };

  const toFactsScene = (seen: Awaited<ReturnType<StateDirectory['show']>>, from: number): TopPane => ({
    type: 'facts',
    of: seen.view,
    lines: renderProcessFacts(seen, page),
    from,
  });

  const end = async ({ id }: ProcessView) => {
    change({ message: `Ending ${id} …` });
    const { message } = await state.kill(id, { by: 'user' });
    await read();
    change({ message });
  };

  const selected = () => view.rows.find((row) => row.view.id === view.selectedId)?.view;

  const ask = (of: ProcessView | undefined) => {
    if (of !== undefined) change({ scene: { type: 'confirm', of } });
  };

  const select = (by: number) => {
    const at = view.rows.findIndex((row) => row.view.id === view.selectedId);
    change({ selectedId: toIdAt(view.rows, at + by) });
  };

  const scroll = (by: number) => {
    if (view.scene.type !== 'facts') return;
    const from = Math.min(Math.max(0, view.scene.from + by), Math.max(0, view.scene.lines.length - 1));
    change({ scene: { ...view.scene, from } });
  };

  const sortByNext = () => {
    const order = topOrders[(topOrders.indexOf(view.order) + 1) % topOrders.length] ?? 'cpu';
    change({ order, rows: sortRows(view.rows, order) });
  };

  const backToList = () => change({ scene: { type: 'list' } });

  type Keys = Readonly<Record<string, () => unknown>>;

  const listKeys: Keys = {
    up: () => select(-1),
    down: () => select(1),
    pageup: () => select(-PAGE_ROWS),
    pagedown: () => select(PAGE_ROWS),
    return: () => attempt(() => openFacts(view.selectedId)),
    k: () => ask(selected()),
    s: sortByNext,
    a: () => {
      change({ showsAll: !view.showsAll });
      return attempt(read);
    },
  };

  const toFactsKeys = (of: ProcessView): Keys => ({
    up: () => scroll(-1),
    down: () => scroll(1),
    pageup: () => scroll(-PAGE_ROWS),
    pagedown: () => scroll(PAGE_ROWS),
    k: () => ask(of),
    q: backToList,
    escape: backToList,
    return: backToList,
  });

  const pressIn = (scene: TopPane, key: string): unknown => {
    if (scene.type === 'list') return listKeys[key]?.();
    if (scene.type === 'facts') return toFactsKeys(scene.of)[key]?.();
    backToList();
    return key === 'y' ? attempt(() => end(scene.of)) : undefined;
  };

  return {
    get view() {
      return view;
    },
    refresh: () => attempt(read),
    press: async (key) => {
      if (view.scene.type === 'list' && (key === 'q' || key === 'escape')) return true;
      await pressIn(view.scene, key);
      return false;
    },
  };
}

/** Keeps the selection, or selects the process in its place once it is gone. */
function toSelected(rows: readonly TopRow[], before: TopView): string | null {
  const isThere = rows.some(({ view }) => view.id === before.selectedId);
  const at = before.rows.findIndex(({ view }) => view.id === before.selectedId);
  return isThere ? before.selectedId : toIdAt(rows, at);
}

function toIdAt(rows: readonly TopRow[], at: number): string | null {
  return rows[Math.min(Math.max(0, at), rows.length - 1)]?.view.id ?? null;
}

function toLeader(view: SeenProcess['view']): number | null {
  return 'endedAt' in view || !('pid' in view) ? null : view.pid;
}
