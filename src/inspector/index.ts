export {
  createInspector,
  type Inspector,
  type InspectorOptions,
  type ListenOptions,
} from './create-inspector.ts';
