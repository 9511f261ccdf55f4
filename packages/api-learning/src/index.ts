/** Learns the operations of an API from recorded requests. See README.md. */
export type {
  LearnedEvidence,
  LearnedOperation,
  LearnedParameter,
  OperationState,
} from './learned/operation.ts'
export { Learner, type LearnerOptions, RESEARCHERS_MIN } from './learner.ts'
export {
  answerType,
  LEARNED_METHODS,
  OBSERVATION_PLACES,
  type Observation,
  type ObservationKey,
  type ObservationPlace,
  sizeClass,
} from './observation.ts'
export { Condenser, type ObservationSum, type ObservedRequest } from './requests/condenser.ts'
export { type RequestShape, segmentsOf, shapeOf } from './requests/shape.ts'
export type { KnownRoutes } from './tree/known-operations.ts'
