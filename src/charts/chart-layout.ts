import type { ArrowPiece } from './arrow-pieces.ts';
import type { TextLine } from './chart-text.ts';
import type { Diagram, DiagramState } from './diagram.ts';
import type { Point } from './ranks.ts';

/** Box of a state. Positions in px, of the upper left corner. */
export interface ChartBox {
  readonly state: DiagramState;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Number of ancestors. */
  readonly depth: number;
  readonly lines: readonly TextLine[];
  /** Distance of the text from the left side. */
  readonly textX: number;
  /** Distance of the rule below the text from the upper side; `null` for a state without children. */
  readonly ruleY: number | null;
}

/** Part of an arrow in one container. An arrow that crosses borders has several, of which the last has the head. */
export interface ChartArrow {
  /** Ids of the transitions that take this way. */
  readonly transitions: readonly string[];
  /** Corners from the source to the target. A label interrupts the line between two lists. */
  readonly lines: readonly (readonly Point[])[];
  readonly hasHead: boolean;
  /** Points to the state that is entered first, and stands for no transition. */
  readonly isInitial: boolean;
}

/** Label of an arrow. */
export interface ChartLabel {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly transitions: readonly string[];
  readonly lines: readonly TextLine[];
}

/** A chart with the positions of its parts, in px from the upper left corner. */
export interface ChartLayout {
  readonly diagram: Diagram;
  readonly width: number;
  readonly height: number;
  /** Outer boxes before inner ones; the first is the machine. */
  readonly boxes: readonly ChartBox[];
  readonly arrows: readonly ChartArrow[];
  readonly labels: readonly ChartLabel[];
}

/** Chart with its arrows cut at the borders of states. */
export interface Chart {
  readonly diagram: Diagram;
  readonly pieces: readonly ArrowPiece[];
}

/** A state with its inside, at the origin. */
export interface LaidState {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly ChartBox[];
  readonly arrows: readonly ChartArrow[];
  readonly labels: readonly ChartLabel[];
  /** Distance of each gate from the left side. */
  readonly gates: ReadonlyMap<string, number>;
}
