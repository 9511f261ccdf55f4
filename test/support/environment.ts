/** What a process of ours is given of the tester's environment: nothing that could set it up by accident. */

const KEPT = ['PATH', 'NODE_COMPILE_CACHE']

/**
 * Where programs are, and where Node keeps what it has compiled, so that no process of a run compiles it again. A gateway serves in one
 * thread unless a test says otherwise, so that tests are the same on every machine.
 */
export const bareEnvironment: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ),
  SALLYPORT_GATEWAY_THREADS: '1',
}
