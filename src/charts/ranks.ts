export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Box to be placed. Sizes in px. */
export interface RankNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Fixed position of the box, regardless of its arrows: gates at the borders, ends of a chart at the bottom. */
  readonly place: 'top' | 'bottom' | 'free' | 'low';
}

/** Line to be routed, from the upper box to the lower one. */
export interface RankEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Distance of the line's end from the left side of its box, in px; `null`: the layout chooses. */
  readonly fromX: number | null;
  readonly toX: number | null;
  /** Lines of more weight are shorter and straighter. */
  readonly weight: number;
}

export interface RankInput {
  readonly nodes: readonly RankNode[];
  readonly edges: readonly RankEdge[];
  /** Rows that are wider are broken, where they can be. */
  readonly maxWidth: number;
}

/** Order of two boxes: `lower` stands in a row below that of `upper`. */
export interface Below {
  readonly upper: string;
  readonly lower: string;
}

/** Boxes beside each other, and lines that pass between them, from left to right. */
export interface Row {
  readonly height: number;
  readonly items: readonly {
    readonly id: string;
    readonly width: number;
    /** Id of the passing line; `null` for a box. */
    readonly edge: string | null;
    /** Position that Dagre gave. */
    readonly x: number;
  }[];
}

/** Space between two boxes beside each other, between two lines, and between rows, in px. */
export const gaps = { boxes: 16, lines: 9, rows: 24 } as const;

/** Widest item of a row that counts as a line, in px. */
export const THIN = 2;

/** Returns the width that the boxes and lines of a row need. */
export function widthOf(row: Row): number {
  return row.items.reduce((sum, item, index) => sum + item.width + separation(row.items[index - 1], item), 0);
}

/** Returns the space between two neighbours of a row. */
export function separation(left: Row['items'][number] | undefined, right: Row['items'][number]): number {
  if (left === undefined) return 0;
  return left.width <= THIN && right.width <= THIN ? gaps.lines : gaps.boxes;
}
