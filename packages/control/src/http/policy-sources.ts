/**
 * Origins as sources of a content security policy. Its grammar (CSP Level 3, section 2.3.1) has no address literals of
 * IPv6, and browsers warn of each; an origin of that kind can only be `'self'`, which covers it where it is ours.
 */
export const policySources = (origins: readonly string[]): string[] =>
  origins.filter((origin) => !origin.includes('['))
