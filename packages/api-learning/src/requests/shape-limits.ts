/** Bounds of paths that can be those of an API. */
export const DEPTH_MAX = 16
export const PATH_CHARS_MAX = 2_048
