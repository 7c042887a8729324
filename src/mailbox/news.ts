import type { ScheduleNews } from '../schedules/schedule.ts';
import type { WatchNews } from '../watches/watch.ts';

export type News = WatchNews | ScheduleNews;
