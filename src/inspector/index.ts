export { createInspector, type Inspector, type InspectorOptions } from './create-inspector.ts';
