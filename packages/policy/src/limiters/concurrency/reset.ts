/** When a permit becomes free is anyone's guess; this is what researchers are told. */
export const CONCURRENCY_RESET_MS = 1_000
