import type { Supervisor } from '../../supervisor/supervisor.ts';
import { renderPromotion } from '../render/notice.ts';
import type { Page } from '../render/page.ts';
import type { Screen } from './screen.ts';

/** Tells of each process that was waited for and is not any more. */
export function tellPromotions(
  supervisor: Supervisor,
  { screen, page }: { screen: Screen; page: Page },
): void {
  supervisor.events$.subscribe((event) => {
    if (event.type === 'process.backgrounded') screen.show({ rows: renderPromotion(event.process, page) });
  });
}
