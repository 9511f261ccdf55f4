/**
 * The audience (`aud`, RFC 7519, section 4.1.3) of the assertions that reach the origin of a site.
 *
 * Any organization of an installation can put a site before any origin that is not proved, so an audience that names the
 * origin would be met by the assertions of all of them. This one names who vouches: the organization, and its site. It is one
 * string, because a library accepts a list where a single member of it fits.
 */
export const assertionAudience = (orgId: string, siteId: string): string =>
  `sallyport:org:${orgId}:site:${siteId}`
