import { isArrow } from './chart-text.ts';
import { type Diagram, type DiagramState, type DiagramTransition, isWithin } from './diagram.ts';

/** End of a piece: a state, the border of the container from inside, or a gate through it. */
export interface PieceEnd {
  readonly kind: 'state' | 'border' | 'gate';
  /** Id of the state; empty for the border and a gate. */
  readonly state: string;
  /**
   * Name of a gate. For a compound state, the gate in its border through which the arrow continues inside; `null`: the arrow ends at the
   * border.
   */
  readonly gate: string | null;
}

/** Piece of an arrow inside one container. Pieces of several levels make an arrow that crosses borders. */
export interface ArrowPiece {
  readonly container: string;
  readonly from: PieceEnd;
  readonly to: PieceEnd;
  /** Direction of drawing: `down` if the target stands after the source. */
  readonly direction: 'down' | 'up';
  readonly transitions: readonly DiagramTransition[];
  /** The first piece of an arrow carries its label. */
  readonly hasLabel: boolean;
  /** The last piece of an arrow carries its head. */
  readonly hasHead: boolean;
}

/** Cuts the arrows of a chart at the borders of states. All transitions between the same two states share one arrow. */
export function toArrowPieces(diagram: Diagram): readonly ArrowPiece[] {
  const pieces = new Map<string, ArrowPiece>();
  const order = new Map(diagram.states.map(({ id }, index) => [id, index]));
  const states = new Map(diagram.states.map((state) => [state.id, state]));
  for (const transition of diagram.transitions) {
    if (transition.target === null || !isArrow(diagram, transition)) continue;
    for (const piece of cut(transition, transition.target, { order, states })) {
      const key = JSON.stringify([piece.container, piece.from, piece.to, piece.hasLabel]);
      const known = pieces.get(key);
      pieces.set(
        key,
        known === undefined ? piece : { ...known, transitions: [...known.transitions, transition] },
      );
    }
  }
  return [...pieces.values()];
}

interface Places {
  readonly order: ReadonlyMap<string, number>;
  readonly states: ReadonlyMap<string, DiagramState>;
}

function cut(transition: DiagramTransition, target: string, places: Places): readonly ArrowPiece[] {
  const { source } = transition;
  const common = commonOf(source, target, places);
  const up = chain(source, common, places);
  const down = chain(target, common, places);
  const [outer, inner] = [up.at(-1), down.at(-1)];
  const rank = (id: string | undefined, otherwise: number) =>
    id === undefined ? otherwise : (places.order.get(id) ?? otherwise);
  const direction =
    rank(outer, -1) < rank(inner, Number.POSITIVE_INFINITY) ? ('down' as const) : ('up' as const);

  const out: ArrowPiece[] = [];
  const add = (container: string, from: PieceEnd, to: PieceEnd) =>
    out.push({ container, from, to, direction, transitions: [transition], hasLabel: false, hasHead: false });
  const gateOut = `${direction} to ${target}`;
  const gateIn = `${direction} into ${target}`;
  const last = up.length - 1;

  for (let index = 0; index < last; index += 1) {
    const from = stateEnd(up[index] ?? '', index === 0 ? null : gateOut);
    add(up[index + 1] ?? '', from, { kind: 'gate', state: '', gate: gateOut });
  }
  const border: PieceEnd = { kind: 'border', state: '', gate: null };
  add(
    common,
    outer === undefined ? border : stateEnd(outer, last === 0 ? null : gateOut),
    inner === undefined ? border : stateEnd(inner, down.length === 1 ? null : gateIn),
  );
  for (let index = down.length - 1; index > 0; index -= 1) {
    const to = stateEnd(down[index - 1] ?? '', index === 1 ? null : gateIn);
    add(down[index] ?? '', { kind: 'gate', state: '', gate: gateIn }, to);
  }
  return out.map((piece, index) => ({
    ...piece,
    hasLabel: index === 0,
    hasHead: index === out.length - 1,
  }));
}

function stateEnd(state: string, gate: string | null): PieceEnd {
  return { kind: 'state', state, gate };
}

/** The container of the arrow's middle piece: the state itself where one end lies in the other, else the nearest common parent. */
function commonOf(source: string, target: string, { states }: Places): string {
  if (isWithin(target, source)) return source;
  if (isWithin(source, target)) return target;
  let common = states.get(source)?.parent ?? '';
  while (!isWithin(target, common)) common = states.get(common)?.parent ?? '';
  return common;
}

/** Lists a state and its ancestors below `common`, innermost first. */
function chain(id: string, common: string, { states }: Places): readonly string[] {
  const ids: string[] = [];
  for (let at: string | null = id; at !== null && at !== common; at = states.get(at)?.parent ?? null)
    ids.push(at);
  return ids;
}
