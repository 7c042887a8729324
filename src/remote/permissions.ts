import { importedApi, streams } from '../spawn/remote/protocol.ts';

const API = '$JS.API';
const { starts, logs, attempts, peers } = streams;

/** Subjects that the account of a tenant imports from the one that keeps the streams. */
interface TenantRights {
  /** Requests with one answer. */
  readonly requests: readonly string[];
  /** Requests with many answers. */
  readonly pulls: readonly string[];
  readonly subscriptions: readonly string[];
}

/**
 * Returns all that the askers of a tenant can reach. Reads name what they read in their subject, where it can be restricted; requests that
 * name it in their text, such as `STREAM.MSG.GET`, would read that of every tenant. Beats of all peers can be read, with names and pools.
 */
function toTenantRights(tenant: string): TenantRights {
  const records = `$KV.${attempts}.${tenant}.>`;
  const beats = `$KV.${peers}.asker.${tenant}.>`;
  return {
    requests: [
      `troupe.start.*.${tenant}`,
      `troupe.control.*.*.${tenant}`,
      records,
      beats,
      `${API}.STREAM.NAMES`,
      `${API}.DIRECT.GET.KV_${attempts}.${records}`,
      `${API}.CONSUMER.CREATE.${logs}.*.troupe.log.${tenant}.>`,
      `${API}.CONSUMER.INFO.${logs}.*`,
      `${API}.CONSUMER.CREATE.KV_${peers}`,
      `${API}.CONSUMER.CREATE.KV_${peers}.*.${beats}`,
      // Flow control of a watch.
      `$JS.FC.KV_${peers}.>`,
    ],
    pulls: [`${API}.CONSUMER.MSG.NEXT.${logs}.*`],
    subscriptions: [`troupe.log.${tenant}.>`, `troupe.late.${tenant}.>`, `_INBOX_${tenant}.>`],
  };
}

interface WorkerRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Returns what a worker needs in the account that keeps the streams, which it creates if they are missing. */
function toWorkerRights(worker: string, pools: readonly string[]): WorkerRights {
  const beats = `$KV.${peers}.worker.${worker}.*`;
  return {
    publish: [
      'troupe.log.>',
      'troupe.late.>',
      `$KV.${attempts}.>`,
      beats,
      `${API}.STREAM.NAMES`,
      ...[starts, logs, `KV_${attempts}`, `KV_${peers}`].map((name) => `${API}.STREAM.CREATE.${name}`),
      ...pools.flatMap((pool) => [
        `${API}.CONSUMER.CREATE.${starts}.pool_${pool}.troupe.start.${pool}.*`,
        `${API}.CONSUMER.INFO.${starts}.pool_${pool}`,
        `${API}.CONSUMER.MSG.NEXT.${starts}.pool_${pool}`,
        `$JS.ACK.${starts}.pool_${pool}.>`,
      ]),
      `${API}.DIRECT.GET.KV_${attempts}.$KV.${attempts}.>`,
      `${API}.CONSUMER.CREATE.KV_${peers}`,
      `${API}.CONSUMER.CREATE.KV_${peers}.*.${beats}`,
      `$JS.FC.KV_${peers}.>`,
    ],
    subscribe: [`troupe.control.${worker}.*.*`, `_INBOX_worker_${worker}.>`],
  };
}

interface TemplateOptions {
  readonly tenants: readonly string[];
  readonly workers: readonly string[];
  /** Pools from which the workers take. */
  readonly pools: readonly string[];
}

/**
 * Returns accounts and users for the configuration of nats-server. A tenant has an account of its own, without JetStream, that imports
 * exactly its subjects. Permissions of users in a common account would not do: with the reply subject of a request, a user has the servers
 * publish on any subject of its account, such as `$JS.API.STREAM.DELETE.…`; answers across an import stay in the account of the asker.
 */
export function toPermissionTemplate({ tenants, workers, pools }: TemplateOptions): string {
  return `# Accounts and users for the configuration of nats-server. Servers read the
# passwords from their environment.
accounts {
  # Keeps the streams. Its users are the workers, whom every tenant trusts: a
  # worker can read and change all records and logs.
  TROUPE {
    jetstream: enabled
    users: [
${workers.map((worker) => toWorkerUser(worker, pools)).join('\n')}
    ]
    exports: [
${tenants.flatMap(toExports).join('\n')}
    ]
  }
${tenants.map(toAccount).join('\n')}
}
`;
}

function toWorkerUser(worker: string, pools: readonly string[]): string {
  const { publish, subscribe } = toWorkerRights(worker, pools);
  const toList = (list: readonly string[]) => list.map((subject) => `            "${subject}"`).join('\n');
  return `      {
        user: "worker_${worker}", password: ${toVariable('WORKER', worker)}
        permissions: {
          publish: { allow: [
${toList(publish)}
          ] }
          subscribe: { allow: [
${toList(subscribe)}
          ] }
          # Answers to askers. A write is answered when the process reads it.
          allow_responses: { max: 1, expires: "25h" }
        }
      }`;
}

function toExports(tenant: string): readonly string[] {
  const { requests, pulls, subscriptions } = toTenantRights(tenant);
  const to = `accounts: ["${toAccountName(tenant)}"]`;
  return [
    ...requests.map((subject) => `      { service: "${subject}", ${to} }`),
    ...pulls.map((subject) => `      { service: "${subject}", response_type: stream, ${to} }`),
    ...subscriptions.map((subject) => `      { stream: "${subject}", ${to} }`),
  ];
}

function toAccount(tenant: string): string {
  const { requests, pulls, subscriptions } = toTenantRights(tenant);
  const services = [...requests, ...pulls].map((subject) => {
    // Under its own name it would be the API of this account, which has no JetStream.
    const local = subject.startsWith(`${API}.`) ? `, to: "${importedApi}${subject.slice(API.length)}"` : '';
    return `      { service: { account: "TROUPE", subject: "${subject}" }${local} }`;
  });
  const imports = subscriptions.map(
    (subject) => `      { stream: { account: "TROUPE", subject: "${subject}" } }`,
  );
  return `  # Its programs set TROUPE_TENANT=${tenant} and
  # TROUPE_SERVERS=nats://${tenant}:<password>@<address>.
  "${toAccountName(tenant)}" {
    users: [ { user: "${tenant}", password: ${toVariable('TENANT', tenant)} } ]
    imports: [
${[...services, ...imports].join('\n')}
    ]
  }`;
}

function toAccountName(tenant: string): string {
  return `TENANT_${tenant}`;
}

function toVariable(kind: 'TENANT' | 'WORKER', name: string): string {
  return `$${kind}_${name.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
}
