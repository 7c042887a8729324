/** What a demonstration claims of itself. Nothing is thrown: what fails is told at the end. */
export interface Checks {
  expect(claim: string, holds: boolean): void;
  readonly failed: readonly string[];
  readonly total: number;
}

export function createChecks(): Checks {
  const claims: { claim: string; holds: boolean }[] = [];
  return {
    expect: (claim, holds) => {
      claims.push({ claim, holds });
    },
    get failed() {
      return claims.filter(({ holds }) => !holds).map(({ claim }) => claim);
    },
    get total() {
      return claims.length;
    },
  };
}
