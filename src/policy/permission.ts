import { permissions } from '../config/policy-options.ts';

export { permissions };

export type Permission = (typeof permissions)[number];
