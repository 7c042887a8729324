import { toErrorText } from '../../../config/error-text.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { ReadUsage } from '../../../process/process-usage.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import type { Page } from '../../render/page.ts';
import { renderProcessFacts } from '../../render/process-facts.ts';
import { sortForReading } from '../ps.ts';
import { sortRows, type TopPane, type TopRow, type TopView, topOrders } from './top-view.ts';

export interface TopBoardOptions {
  readonly state: StateDirectory;
  readonly readUsage: ReadUsage;
  readonly page: Page;
  readonly showsAll: boolean;
  /** Called after each change of the view. */
  readonly onChange: () => void;
}

const PAGE_ROWS = 10;

type FactsPane = Extract<TopPane, { readonly type: 'facts' }>;

/** Effects of keys, by their readline names. */
type Keys = Readonly<Record<string, () => unknown>>;

/** State of `troupe top`, and the effects of keys. */
export class TopBoard {
  readonly #options: TopBoardOptions;
  #view: TopView;

  constructor(options: TopBoardOptions) {
    this.#options = options;
    this.#view = {
      path: options.state.path,
      rows: [],
      selectedId: null,
      order: 'cpu',
      showsAll: options.showsAll,
      pane: { type: 'list' },
      message: 'Loading …',
    };
  }

  get view(): TopView {
    return this.#view;
  }

  /** Reads the processes again. Expected errors become the message; the promise rejects only for a fault of troupe. */
  refresh(): Promise<void> {
    return this.#attempt(() => this.#read());
  }

  /** Handles a key by its readline name. Resolves with `true` if it quits. */
  async press(key: string): Promise<boolean> {
    const { pane } = this.#view;
    if (pane.type === 'list' && (key === 'q' || key === 'escape')) return true;
    await this.#pressIn(pane, key);
    return false;
  }

  #pressIn(pane: TopPane, key: string): unknown {
    if (pane.type === 'list') return this.#listKeys[key]?.();
    if (pane.type === 'facts') return this.#toFactsKeys(pane)[key]?.();
    this.#backToList();
    return key === 'y' ? this.#attempt(() => this.#end(pane.of)) : undefined;
  }

  readonly #listKeys: Keys = {
    up: () => this.#select(-1),
    down: () => this.#select(1),
    pageup: () => this.#select(-PAGE_ROWS),
    pagedown: () => this.#select(PAGE_ROWS),
    return: () => this.#attempt(() => this.#openFacts()),
    k: () => this.#ask(this.#view.rows.find(({ view }) => view.id === this.#view.selectedId)?.view),
    s: () => this.#change(toNextOrder(this.#view)),
    a: () => {
      this.#change({ showsAll: !this.#view.showsAll });
      return this.refresh();
    },
  };

  #toFactsKeys(pane: FactsPane): Keys {
    const scroll = (by: number) => this.#change({ pane: scrollBy(pane, by) });
    const back = () => this.#backToList();
    return {
      up: () => scroll(-1),
      down: () => scroll(1),
      pageup: () => scroll(-PAGE_ROWS),
      pagedown: () => scroll(PAGE_ROWS),
      k: () => this.#ask(pane.of),
      q: back,
      escape: back,
      return: back,
    };
  }

  #change(changes: Partial<TopView>): void {
    this.#view = { ...this.#view, ...changes };
    this.#options.onChange();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      this.#change({ message: toErrorText(error) });
    }
  }

  async #read(): Promise<void> {
    const { state, readUsage } = this.#options;
    const { processes, warnings } = await state.list();
    const { showsAll, order } = this.#view;
    const shown = sortForReading(processes, { all: showsAll });
    const usages = await readUsage(shown.map(({ view }) => view));
    const rows = sortRows(
      shown.map((seen) => ({ ...seen, usage: usages.get(seen.view.id) ?? null })),
      order,
    );
    this.#change({ rows, selectedId: toSelected(rows, this.#view), message: warnings[0] ?? null });
    await this.#refreshFacts();
  }

  async #openFacts(): Promise<void> {
    const id = this.#view.selectedId;
    if (id !== null) this.#change({ pane: this.#toFacts(await this.#options.state.show(id), 0) });
  }

  /** Does not replace the pane that a key opened in the meantime. */
  async #refreshFacts(): Promise<void> {
    if (this.#view.pane.type !== 'facts') return;
    const { id } = this.#view.pane.of;
    const seen = await this.#options.state.show(id);
    const { pane } = this.#view;
    if (pane.type === 'facts' && pane.of.id === id) this.#change({ pane: this.#toFacts(seen, pane.from) });
  }

  #toFacts(seen: Awaited<ReturnType<StateDirectory['show']>>, from: number): FactsPane {
    const usage = this.#view.rows.find(({ view }) => view.id === seen.view.id)?.usage ?? null;
    return {
      type: 'facts',
      of: seen.view,
      lines: renderProcessFacts({ ...seen, usage }, this.#options.page),
      from,
    };
  }

  async #end({ id }: ProcessView): Promise<void> {
    this.#change({ message: `Ending ${id} …` });
    const { message } = await this.#options.state.kill(id, { by: 'user' });
    await this.#read();
    this.#change({ message });
  }

  #ask(of: ProcessView | undefined): void {
    if (of !== undefined) this.#change({ pane: { type: 'confirm', of } });
  }

  #select(by: number): void {
    const { rows, selectedId } = this.#view;
    const at = rows.findIndex(({ view }) => view.id === selectedId);
    this.#change({ selectedId: toIdAt(rows, at + by) });
  }

  #backToList(): void {
    this.#change({ pane: { type: 'list' } });
  }
}

function toNextOrder({ order, rows }: TopView): Pick<TopView, 'order' | 'rows'> {
  const next = topOrders[(topOrders.indexOf(order) + 1) % topOrders.length] ?? 'cpu';
  return { order: next, rows: sortRows(rows, next) };
}

/** The last line stays visible. */
function scrollBy(pane: FactsPane, by: number): FactsPane {
  const from = Math.min(Math.max(0, pane.from + by), Math.max(0, pane.lines.length - 1));
  return { ...pane, from };
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
