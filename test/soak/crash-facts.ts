/** What a host says of itself before it is killed: each is true when it is said. */
export type CrashFact =
  | { readonly type: 'creating' }
  | { readonly type: 'created'; readonly supervisorId: string; readonly adopted: readonly string[] }
  | { readonly type: 'starting' }
  /** It runs in the background, and its end is to be told. */
  | {
      readonly type: 'started';
      readonly id: string;
      readonly lifetime: 'session' | 'persistent';
      readonly token: string;
    }
  | { readonly type: 'stopping'; readonly id: string }
  | {
      readonly type: 'read';
      readonly id: string;
      readonly from: number;
      readonly to: number;
      readonly text: string;
    }
  | { readonly type: 'finished' };
