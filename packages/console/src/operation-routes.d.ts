declare module 'virtual:operation-routes' {
  /** Written by `build/operation-routes.ts`. */
  export const operationRoutes: import('@sallyport/client').OperationRoutes
}
