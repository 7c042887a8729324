import type { Cancel, Clock } from '../clock/clock.ts';
import type { ScheduleNews, ScheduleView } from './schedule.ts';

/** Delay of overdue schedules of a restored process: it may turn out to have ended. */
const OVERDUE_AFTER_MS = 1_000;

/** Delivers due schedules to their owners. */
export interface DueNews {
  /** `onDelivered` is called once a subscriber has received it: now, or later. */
  tell(news: ScheduleNews, onDelivered: () => void): void;
  /** Takes back undelivered notifications of those schedules. */
  withdraw(isMeant: (schedule: ScheduleView) => boolean): void;
}

export type ScheduleFacts = Omit<ScheduleView, 'nextAt'>;

export interface ActiveScheduleDeps {
  readonly clock: Clock;
  readonly news: DueNews;
  /** Called once a notification has reached a subscriber. */
  onDelivered(schedule: ActiveSchedule): void;
}

/** A schedule whose next notification is to come, or waits for its owner. */
export class ActiveSchedule {
  readonly #facts: ScheduleFacts;
  readonly #deps: ActiveScheduleDeps;
  #told: number;
  /** Monotonic time of the next notification. */
  #dueMs: number;
  /** Notifications that were published and not delivered yet. */
  #undelivered: { readonly firstAt: number; readonly count: number } | null = null;
  #cancel: Cancel = () => {};

  /** Does nothing before `arm` or `armRestored`. */
  constructor(schedule: { readonly facts: ScheduleFacts; readonly dueMs: number }, deps: ActiveScheduleDeps) {
    this.#facts = schedule.facts;
    this.#deps = deps;
    this.#told = schedule.facts.told;
    this.#dueMs = schedule.dueMs;
  }

  get id(): string {
    return this.#facts.id;
  }

  get owner(): string {
    return this.#facts.owner;
  }

  get processId(): string | null {
    return this.#facts.processId;
  }

  get isRecurring(): boolean {
    return this.#facts.everyMs !== null;
  }

  view(): ScheduleView {
    const { id, owner, message, everyMs, processId, createdAt } = this.#facts;
    const nextAt = this.#toEpoch(this.#dueMs);
    return { id, owner, message, everyMs, nextAt, processId, createdAt, told: this.#told };
  }

  /** Data for the record: the next supervisor begins with the first undelivered time. */
  get record(): ScheduleView {
    const view = this.view();
    return this.#undelivered === null ? view : { ...view, nextAt: this.#undelivered.firstAt };
  }

  arm(): void {
    this.#armAt(this.#dueMs);
  }

  armRestored(): void {
    const earliestMs = this.#deps.clock.nowMs() + OVERDUE_AFTER_MS;
    this.#armAt(this.processId === null ? this.#dueMs : Math.max(this.#dueMs, earliestMs));
  }

  /** Stops further notifications. */
  cancel(): void {
    this.#cancel();
  }

  /** Withdraws notifications that wait for an absent owner: of a recurring schedule only the last one waits. */
  withdraw(): void {
    this.#deps.news.withdraw(({ id }) => id === this.id);
  }

  #armAt(atMs: number): void {
    this.#cancel = this.#deps.clock.at(atMs, () => this.#notifyDue(), { idle: true });
  }

  #notifyDue(): void {
    const { clock, news } = this.#deps;
    const { owner } = this;
    const due = this.#undelivered;
    this.withdraw();
    const passed = this.#countPassed();
    const missed = (due?.count ?? 0) + passed;
    const firstAt = due?.firstAt ?? this.#toEpoch(this.#dueMs);
    this.#undelivered = { firstAt, count: missed + 1 };
    if (this.#facts.everyMs !== null) {
      this.#dueMs += (passed + 1) * this.#facts.everyMs;
      this.arm();
    }
    const schedule = { ...this.view(), told: this.#told + 1 };
    const at = clock.epochMs();
    news.tell({ type: 'schedule.due', id: this.#toNewsId(), at, owner, schedule, missed }, () =>
      this.#noteDelivered(),
    );
  }

  /** Returns how many further times of a recurring schedule have passed since it was due. */
  #countPassed(): number {
    const { everyMs } = this.#facts;
    return everyMs === null ? 0 : Math.floor((this.#deps.clock.nowMs() - this.#dueMs) / everyMs);
  }

  /** Returns the same id until the notification is delivered, also under another supervisor. */
  #toNewsId(): string {
    return `${this.id}/${this.#told + 1}`;
  }

  #noteDelivered(): void {
    this.#undelivered = null;
    this.#told += 1;
    this.#deps.onDelivered(this);
  }

  #toEpoch(ms: number): number {
    const { clock } = this.#deps;
    return Math.round(clock.epochMs() + ms - clock.nowMs());
  }
}
