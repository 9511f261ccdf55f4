/**
 * What becomes of CORS preflights at a site: requests by which a browser asks, before another one and without credentials, whether
 * a page of another host may send that (Fetch standard, section 4.8).
 *
 * - `refuse`: as any other request without a credential;
 * - `answer`: pages of the organization's other sites may, says the gate;
 * - `forward`: the origin is asked, where a page of one of these sites would send it.
 */
export const PREFLIGHT_RULES = ['refuse', 'answer', 'forward'] as const
export type PreflightRule = (typeof PREFLIGHT_RULES)[number]
