import { computed, effect, type Signal, signal } from '@preact/signals';
import { emptyLiveState, type LiveState } from '../../live/live-state.ts';
import { createRemoteStore } from '../../live/remote-store.ts';
import type { ProcessUsage } from '../../spawn/tree/tree-usage.ts';
import type { AboutInspector, InspectedSupervisor } from '../inspector-handler.ts';
import type { Range } from './axis.ts';
import { type StageRow, toMoments, toStage } from './stage.ts';
import { toStaged } from './staged-process.ts';

/** Process or conversation that the panes below show. */
export interface Selection {
  readonly type: 'supervisor' | 'process' | 'conversation' | 'machine';
  readonly id: string;
  /** Key of its row, where a person chose one of several. */
  readonly row?: string;
}

/** Processes and conversations as the program says they are now. */
export const live: Signal<LiveState> = signal(emptyLiveState);
export const about = signal<
  | (AboutInspector & {
      readonly warnings: readonly string[];
      readonly supervisors: readonly InspectedSupervisor[];
    })
  | null
>(null);

/** Time of the program now, in milliseconds since the epoch: its clock may differ from the one of the browser. */
export const now = signal(Date.now());
/** Moment of the past that is shown; `null` shows the present. */
export const travel = signal<number | null>(null);
export const at = computed(() => travel.value ?? now.value);

export const filterText = signal('');
export const hidesEnded = signal(false);
/** Part of the axis that was chosen: a length that follows the time in ms, a fixed part, or `null` for all. */
export const chosenRange = signal<number | Range | null>(null);
export const selection = signal<Selection | null>(readHash());
export const usage = signal<Readonly<Record<string, ProcessUsage>>>({});
/** Answer to the last order; `null` once it was read. */
export const answer = signal<{ readonly text: string; readonly isRefusal: boolean } | null>(null);

/** Moves with the time ten times a second at most, and with each step of the axis; the table is drawn for it. */
const drawnAt = computed(() => travel.value ?? Math.ceil(now.value / 100) * 100);

export const stage = computed(() =>
  toStage(live.value, drawnAt.value, { text: filterText.value, hidesEnded: hidesEnded.value }),
);

export const moments = computed(() => toMoments(live.value));

export const range = computed((): Range => {
  const chosen = chosenRange.value;
  if (chosen !== null && typeof chosen === 'object') return chosen;
  const to = drawnAt.value;
  const from = typeof chosen === 'number' ? to - chosen : stage.value.from;
  // Room for what happens next, and for the words behind the last end.
  const length = Math.max(1_000, to - from);
  return { from, to: to + length * 0.06 };
});

/** The chosen process, also where the filter hides its row. */
export const selectedProcess = computed(() => {
  const chosen = selection.value;
  if (chosen?.type !== 'process') return null;
  const { processes, timelines } = live.value;
  const view = processes.find(({ id, createdAt }) => id === chosen.id && createdAt <= drawnAt.value);
  if (view === undefined) return null;
  return { id: view.id, ...toStaged(view, { timeline: timelines[view.id] ?? [], at: drawnAt.value }) };
});

export const selectedMachine = computed(() => {
  const chosen = selection.value;
  return chosen?.type === 'machine' ? (live.value.machines[chosen.id] ?? null) : null;
});

export const selectedSupervisor = computed(() => {
  const chosen = selection.value;
  if (chosen?.type !== 'supervisor') return null;
  const row = stage.value.rows.find(({ type, id }) => type === 'supervisor' && id === chosen.id);
  return row?.type === 'supervisor' ? row : null;
});

/** Returns whether a row is the chosen one. */
export function isChosen(row: StageRow): boolean {
  const chosen = selection.value;
  const { type, id } = toSelection(row);
  return chosen?.id === id && chosen.type === type && (chosen.row ?? row.key) === row.key;
}

/** Returns the selection that a row stands for. */
export function toSelection({ type, id, key }: StageRow): Selection {
  return { type: type === 'owner' ? 'conversation' : type, id, row: key };
}

/** Conversation beside the chosen process, or the chosen one. */
export const selectedConversation = computed(() => {
  const { conversations, processes } = live.value;
  const chosen = selection.value;
  if (chosen?.type === 'conversation') return conversations[chosen.id] ?? null;
  const owner = processes.find(({ id }) => id === chosen?.id)?.owner;
  return (owner !== undefined ? conversations[owner] : null) ?? Object.values(conversations)[0] ?? null;
});

export function select(chosen: Selection | null): void {
  const hash = chosen === null ? '#/' : `#/${chosen.type}/${encodeURIComponent(chosen.id)}`;
  if (hash !== location.hash) history.pushState(null, '', hash);
  selection.value = chosen;
}

function readHash(): Selection | null {
  const [, type, id] = /^#\/(supervisor|process|conversation|machine)\/(.+)$/.exec(location.hash) ?? [];
  return id === undefined ? null : { type: type as Selection['type'], id: decodeURIComponent(id) };
}

/** Shows a moment of the past, or the present with `null`. */
export function travelTo(time: number | null): void {
  travel.value = time === null || time >= now.value ? null : time;
}

/** Goes to the next event in that direction. */
export function stepMoment(direction: 1 | -1): void {
  const all = moments.value;
  const from = at.value;
  const next = direction === 1 ? all.find((time) => time > from) : all.findLast((time) => time < from);
  if (next !== undefined) travelTo(next);
  else if (direction === 1) travelTo(null);
}

/** Connects with the program, and rests while the page is hidden. */
export function connect(): void {
  const store = createRemoteStore('api');
  let skewMs = 0;
  let stop: (() => void) | null = null;
  const take = () => {
    live.value = store.getSnapshot();
  };
  const tick = () => {
    now.value = Date.now() + skewMs;
  };
  const ask = async () => {
    const response = await fetch('api/about');
    if (!response.ok) return;
    const { now: theirs, ...rest } = await response.json();
    skewMs = theirs - Date.now();
    about.value = rest;
    document.title = `${rest.title} · troupe`;
  };
  let timer = 0;
  const follow = () => {
    const isShown = !document.hidden;
    if (isShown && stop === null) {
      stop = store.subscribe(take);
      timer = window.setInterval(tick, 100);
      void ask().catch(() => {});
    } else if (!isShown && stop !== null) {
      stop();
      stop = null;
      clearInterval(timer);
    }
  };
  document.addEventListener('visibilitychange', follow);
  window.addEventListener('popstate', () => {
    selection.value = readHash();
  });
  follow();
  setInterval(() => {
    if (!document.hidden) void ask().catch(() => {});
  }, 10_000);
  chooseFirst();
}

/** Chooses what most deserves a look, until the person chooses. */
function chooseFirst(): void {
  const dispose = effect(() => {
    const { rows } = stage.value;
    if (selection.value !== null) return void queueMicrotask(() => dispose());
    const first =
      rows.find((row) => row.type === 'process' && row.view.awaitsInput !== null) ??
      rows.findLast((row) => row.type === 'process' && row.endedAt === null) ??
      rows.findLast((row) => row.type === 'process');
    if (first === undefined) return;
    queueMicrotask(() => {
      dispose();
      if (selection.value === null) selection.value = { type: 'process', id: first.id };
    });
  });
}
